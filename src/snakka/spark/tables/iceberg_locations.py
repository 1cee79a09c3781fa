"""Where the files of Iceberg tables are, and whose they may be.

Rule: a table has its directories for itself. Maintenance takes for left over what the table does not know there, and
removes it.
"""

from collections.abc import Mapping

import pyarrow.fs as pafs
from pyiceberg.io.pyarrow import PyArrowFileIO

from snakka.spark.client_settings import SparkOptionError

TABLE_FILES = (".parquet", ".orc", ".avro", ".puffin", ".stats", ".metadata.json", ".metadata.json.gz")
_DIRECTORIES = ("data", "metadata")  # of a new table


def place(files: PyArrowFileIO, location: str) -> tuple[pafs.FileSystem, str]:
    """The file system of a location, and its path there."""
    scheme, host, path = files.parse_location(location, files.properties)
    return files.fs_by_scheme(scheme, host), path


def refuse_taken(location: str, properties: Mapping[str, str]) -> None:
    """SparkOptionError if a new table would find files where its own are to be. What can't be looked at is not judged."""
    for directory in _DIRECTORIES:
        try:
            filesystem, path = place(PyArrowFileIO(dict(properties)), f"{location.rstrip('/')}/{directory}")
            found = filesystem.get_file_info(pafs.FileSelector(path, recursive=True, allow_not_found=True))
        except OSError:
            continue
        foreign = next((info for info in found if info.is_file and info.path.endswith(TABLE_FILES)), None)
        if foreign is not None:
            raise SparkOptionError(
                f"location is {location}, but there are files of no table of this name, {directory}/{foreign.base_name}"
                " for one; give another, or remove them"
            )
