"""The floors under the figures of Spark: sources in Python that do less than any reader of records must do, or nothing.

The first receives for each batch as many bytes from a bare sender as our connector does from a broker, or reads as many from
the log files, straight into the column of values if one is wanted, and takes their checksum while they are in a processor's
cache. A reader of records must also copy each value: in the log they lie apart, in a column side by side. All else was ready
from the start: it has no protocol, looks at no record, and makes no key, offset or time. Otherwise it is as our readers are:
as many tasks, batches as large, and one ahead of Spark. The other floor only hands over columns that are ready: what that
takes is Spark's and PySpark's part, which no source in Python is rid of. The rule: they do nothing that could be left out.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME = "snakka-bench-floor"


def register(spark: "SparkSession") -> None:
    """Make format(NAME) known.

    Its options: `rows`, `value_bytes`, `tasks`; `row_bytes` is how many are moved for a row; `files` have commas between
    them; and `port` is that of a bare sender that has the same files. Without it they are read, and with `ready` nothing is
    moved.
    """
    # Classes within a function are sent to the workers as they are: they can't import this package.
    import itertools
    import os
    import socket
    import struct
    from collections.abc import Callable, Iterator
    from typing import Any, NamedTuple

    from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

    from bench.bare_sender import REQUEST
    from snakka.protocol.checksum import crc32c
    from snakka.spark.columns import MOST_BYTES, MOST_ROWS, source_schema
    from snakka.spark.log_reader.segment_reader import PIECE_BYTES
    from snakka.spark.read_ahead import MOST_AHEAD, ReadAhead
    from snakka.spark.worker_process import keep_what_is_loaded

    request_format = REQUEST.format

    class Share(InputPartition):
        """What one task has to do: its rows, and where in which file it begins. At the file's end it begins again."""

        def __init__(self, rows: int, file: int, start: int) -> None:
            self.rows, self.file, self.start = rows, file, start

    class Settings(NamedTuple):
        rows: int
        value_bytes: int
        tasks: int
        row_bytes: float
        files: list[str]
        port: int | None
        is_ready: bool

    class Columns:
        """A batch of Spark's, and what its values lie in."""

        def __init__(self, batch: Any, values: memoryview) -> None:
            self.batch = batch
            self._values = values
            self._scratch = memoryview(bytearray(PIECE_BYTES))

        def fill(self, size: int, move: Callable[[memoryview], int]) -> None:
            """Let `move` put so many bytes here, piece by piece; it says how many it has put."""
            begin = 0
            while begin < size:
                # What is moved for a row is more than its value; what has no room in the column goes nowhere.
                room = self._values[begin : min(begin + PIECE_BYTES, size)] or self._scratch[: size - begin]
                count = move(room)
                if not count:
                    raise EOFError("the bytes end before their size")
                crc32c(room[:count])
                begin += count

    def received(
        settings: Settings, share: Share, places: list[int], size: int, columns: Iterator[Columns]
    ) -> Iterator[Columns]:
        """Moves `size` bytes from each place through a socket; the next request is under way before one is answered."""
        connection = socket.create_connection(("127.0.0.1", settings.port or 0), 60)
        request = struct.Struct(request_format)
        with connection:
            connection.sendall(request.pack(share.file, places[0], size))
            for following, filled in zip([*places[1:], None], columns, strict=False):
                if following is not None:
                    connection.sendall(request.pack(share.file, following, size))
                filled.fill(size, lambda room: connection.recv_into(room, 0, socket.MSG_WAITALL))
                yield filled

    def read(
        settings: Settings, share: Share, places: list[int], size: int, columns: Iterator[Columns]
    ) -> Iterator[Columns]:
        """Moves `size` bytes from each place out of the file."""
        with open(settings.files[share.file], "rb", buffering=0) as file:
            for position, filled in zip(places, columns, strict=False):
                file.seek(position)
                filled.fill(size, file.readinto)
                yield filled

    def ready(
        settings: Settings, share: Share, places: list[int], size: int, columns: Iterator[Columns]
    ) -> Iterator[Columns]:
        """Moves nothing."""
        for _, filled in zip(places, columns, strict=False):
            yield filled

    def places(share: Share, file_bytes: int, size: int, count: int) -> list[int]:
        """Where to move `size` bytes from, so many times: one after the other, and again from the file's beginning."""
        if file_bytes < size:
            raise ValueError(f"a file of {file_bytes} bytes is too small for batches of {size}")
        found = [min(share.start, file_bytes - size)]
        while len(found) < count:
            following = found[-1] + size
            found.append(following if following + size <= file_bytes else 0)
        return found

    class FloorReader(DataSourceReader):
        def __init__(self, settings: Settings, names: list[str]) -> None:
            self._settings = settings
            self._names = names

        def partitions(self) -> list[InputPartition]:
            rows, tasks, files = self._settings.rows, self._settings.tasks, self._settings.files
            shares: list[InputPartition] = []
            for task in range(tasks):
                file = task % len(files)
                start = os.path.getsize(files[file]) * task // tasks if len(files) < tasks else 0
                shares.append(Share(rows // tasks + (task < rows % tasks), file, start))
            return shares

        def read(self, partition: InputPartition) -> Iterator[Any]:
            assert isinstance(partition, Share)
            keep_what_is_loaded()
            return iter(ReadAhead(self._batches(partition)))

        def _batches(self, share: Share) -> Iterator[Any]:
            settings = self._settings
            rows = min(MOST_ROWS, MOST_BYTES // settings.value_bytes, max(share.rows, 1))
            # One is with Spark while the others are made; then it is used again, as our readers use their memory again.
            columns = itertools.cycle([self._columns(rows) for _ in range(MOST_AHEAD + 1)])
            size = int(rows * settings.row_bytes)
            count = (share.rows + rows - 1) // rows
            from_places = places(share, os.path.getsize(settings.files[share.file]), size, count)
            left = share.rows
            move = ready if settings.is_ready else read if settings.port is None else received
            for filled in move(settings, share, from_places, size, columns):
                yield filled.batch.slice(0, left)
                left -= rows

        def _columns(self, rows: int) -> Columns:
            import pyarrow

            of_every_row = {
                "key": pyarrow.scalar(b"k" * 8),
                "value": pyarrow.scalar(b"v" * self._settings.value_bytes),
                "topic": pyarrow.scalar(f"bench-{self._settings.value_bytes}-{self._settings.rows}"),
                "partition": pyarrow.scalar(0, pyarrow.int32()),
                "offset": pyarrow.scalar(0, pyarrow.int64()),
                "timestamp": pyarrow.scalar(0, pyarrow.timestamp("us", "UTC")),
                "timestampType": pyarrow.scalar(0, pyarrow.int32()),
            }
            columns = {name: pyarrow.repeat(of_every_row[name], rows) for name in self._names}
            values = bytearray(rows * self._settings.value_bytes if "value" in columns else 0)
            if "value" in columns:
                ends = columns["value"].buffers()[1]
                buffers = [None, ends, pyarrow.py_buffer(values)]
                columns["value"] = pyarrow.Array.from_buffers(pyarrow.binary(), rows, buffers)
            return Columns(pyarrow.RecordBatch.from_pydict(columns), memoryview(values))

    class FloorSource(DataSource):
        @classmethod
        def name(cls) -> str:
            return NAME

        def schema(self) -> Any:
            return source_schema(False)

        def reader(self, schema: Any) -> DataSourceReader:
            asked = self.options
            rows, value_bytes, tasks = (int(asked[name]) for name in ("rows", "value_bytes", "tasks"))
            files, port = asked["files"].split(","), asked.get("port")
            row_bytes = float(asked["row_bytes"])
            settings = Settings(
                rows,
                value_bytes,
                tasks,
                row_bytes,
                files,
                None if port is None else int(port),
                "ready" in asked,
            )
            return FloorReader(settings, schema.fieldNames())

    spark.dataSource.register(FloorSource)
