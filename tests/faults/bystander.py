"""A client that minds its own business, and notices if it has to wait."""

import threading
import time

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.messages.fetch import FetchResponse
from snakka.protocol.messages.produce import ProduceResponse
from tests.faults.wire import FETCH_VERSION, PRODUCE_VERSION, Wire, fetch, produce

PAUSE_SECONDS = 0.01


class Bystander:
    """Writes a record and reads it back, again and again, in a thread; `with` gives it its time."""

    def __init__(self, bootstrap: str, topic: str) -> None:
        self.round_trips: list[float] = []
        self._topic = topic
        self._wire = Wire(bootstrap)
        self._done = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="bystander")

    def __enter__(self) -> "Bystander":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
        self._wire.close()
        if self._failure is not None:
            raise AssertionError(f"the bystander was harmed: {self._failure!r}") from self._failure

    @property
    def slowest_ms(self) -> float:
        return max(self.round_trips) * 1000

    @property
    def median_ms(self) -> float:
        return sorted(self.round_trips)[len(self.round_trips) // 2] * 1000

    def _run(self) -> None:
        try:
            while not self._done.is_set():
                started = time.monotonic()
                self._round_trip()
                self.round_trips.append(time.monotonic() - started)
                self._done.wait(PAUSE_SECONDS)
        except BaseException as error:
            self._failure = error

    def _round_trip(self) -> None:
        written = self._wire.ask(produce(self._topic, 0, b"mine"), PRODUCE_VERSION)
        assert isinstance(written, ProduceResponse)
        row = written.responses[0].partition_responses[0]
        assert row.error_code == ErrorCode.NONE, row
        read = self._wire.ask(fetch(self._topic, 0, row.base_offset), FETCH_VERSION)
        assert isinstance(read, FetchResponse)
        assert read.responses[0].partitions[0].records
