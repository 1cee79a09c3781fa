"""The floor under the figures of Spark: a source in Python that moves as many bytes as our readers, and does nothing else.

For each batch it receives as many bytes from a bare sender as our connector does from a broker, or reads as many from the
log files; what it hands to Spark are columns that were ready from the start. So it has no protocol, no checksum and no
decoding; else it is as our readers are: as many tasks, batches as large, and one ahead of Spark. The rule: it says about how
much our reader adds, and bounds nothing: where one task is the limit our reader has been faster.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME = "snakka-bench-floor"


def register(spark: "SparkSession") -> None:
    """Make format(NAME) known.

    Its options: `rows`, `value_bytes`, `tasks`; `row_bytes` is how many are moved for a row; `files` have commas between
    them; and `port` is that of a bare sender that has the same files. Without it they are read.
    """
    # Classes within a function are sent to the workers as they are: they can't import this package.
    import os
    import socket
    import struct
    from collections.abc import Iterator
    from typing import Any, NamedTuple

    from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

    from bench.bare_sender import REQUEST
    from snakka.spark.columns import MOST_BYTES, MOST_ROWS, source_schema
    from snakka.spark.log_reader.segment_reader import PIECE_BYTES
    from snakka.spark.read_ahead import ReadAhead
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

    def received(settings: Settings, share: Share, places: list[int], size: int) -> Iterator[None]:
        """Moves `size` bytes from each place through a socket; the next request is under way before one is answered."""
        connection = socket.create_connection(("127.0.0.1", settings.port or 0), 60)
        request = struct.Struct(request_format)
        buffer = memoryview(bytearray(size))
        with connection:
            connection.sendall(request.pack(share.file, places[0], size))
            for following in [*places[1:], None]:
                if following is not None:
                    connection.sendall(request.pack(share.file, following, size))
                there = 0
                while there < size:
                    count = connection.recv_into(buffer[there:], 0, socket.MSG_WAITALL)
                    if not count:
                        raise ConnectionError("the bare sender has closed the connection")
                    there += count
                yield

    def read(settings: Settings, share: Share, places: list[int], size: int) -> Iterator[None]:
        """Moves `size` bytes from each place out of the file, in pieces as the log reader's."""
        buffer = memoryview(bytearray(PIECE_BYTES))
        with open(settings.files[share.file], "rb", buffering=0) as file:
            for position in places:
                end = position + size
                while position < end:
                    count = os.preadv(file.fileno(), (buffer[: end - position],), position)
                    if not count:
                        raise EOFError("a log file ends before its size")
                    position += count
                yield

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
            batch = self._columns(rows)
            size = int(rows * settings.row_bytes)
            count = (share.rows + rows - 1) // rows
            from_places = places(share, os.path.getsize(settings.files[share.file]), size, count)
            left = share.rows
            for _ in (read if settings.port is None else received)(settings, share, from_places, size):
                yield batch.slice(0, left)
                left -= rows

        def _columns(self, rows: int) -> Any:
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
            return pyarrow.RecordBatch.from_pydict(columns)

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
                rows, value_bytes, tasks, row_bytes, files, None if port is None else int(port)
            )
            return FloorReader(settings, schema.fieldNames())

    spark.dataSource.register(FloorSource)
