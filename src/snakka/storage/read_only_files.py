"""A data directory in the hands of somebody who must not change it, while its broker runs or after it has stopped.

Rule: nothing is written, renamed, removed or locked; files are opened for reading, so that the right to read suffices.
"""

import errno
import os
from typing import NamedTuple, NoReturn

from snakka.storage.file_regions import Descriptor
from snakka.storage.files import Lock, OsFile, OsFiles


class FileEntry(NamedTuple):
    """A file of a directory. A name may come to mean another file; the inode tells."""

    size: int
    inode: int


class ReadOnlyFile(OsFile):
    """A file that is opened at once and never written: what it is stays, whatever becomes of its name."""

    __slots__ = ("inode",)

    def __init__(self, files: "ReadOnlyFiles", path: str) -> None:
        try:
            descriptor = Descriptor(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
        except FileNotFoundError:
            raise
        except OSError as error:
            raise files.failure(path, "open", error) from error
        status = os.fstat(descriptor.fd)
        super().__init__(files, path, status.st_size, descriptor)
        self.inode = status.st_ino


class ReadOnlyFiles(OsFiles):
    """The real file system, for reading."""

    def open(self, path: str, *, create: bool = False, size: int | None = None) -> ReadOnlyFile:
        """The file at `path` as long as it is now, whatever `size` says."""
        if create:
            self._refuse(path)
        return ReadOnlyFile(self, path)

    def entries(self, directory: str) -> dict[str, FileEntry]:
        """The plain files of `directory` by name."""
        found = []
        with os.scandir(directory) as entries:
            for entry in entries:
                try:
                    if entry.is_file():
                        found.append((entry.name, FileEntry(entry.stat().st_size, entry.inode())))
                except FileNotFoundError:
                    continue  # renamed or removed since the directory was read
        return dict(sorted(found))

    def make_directory(self, path: str) -> None:
        self._refuse(path)

    def replace(self, path: str, data: bytes, *, sync: bool = True) -> None:
        self._refuse(path)

    def remove(self, path: str) -> None:
        self._refuse(path)

    def remove_tree(self, path: str) -> None:
        self._refuse(path)

    def rename(self, source: str, target: str) -> None:
        self._refuse(source)

    def lock(self, path: str) -> Lock:
        self._refuse(path)

    def _refuse(self, path: str) -> NoReturn:
        raise OSError(errno.EROFS, "opened for reading only", path)
