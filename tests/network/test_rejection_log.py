import logging

import pytest

from snakka.network.rejection_log import RejectionLog


class HandClock:
    seconds = 100.0

    def monotonic(self) -> float:
        return self.seconds

    def now_ms(self) -> int:
        return int(self.seconds * 1000)


def test_one_line_at_once_then_one_in_ten_seconds(caplog: pytest.LogCaptureFixture) -> None:
    clock = HandClock()
    rejections = RejectionLog(logging.getLogger("test"), clock)
    for number in range(1000):
        rejections.report(f"bad {number}")
    clock.seconds += 9.9
    rejections.report("bad again")
    clock.seconds += 0.2
    rejections.report("bad at last")
    clock.seconds += 11
    rejections.report("a new one")
    assert [record.getMessage() for record in caplog.records] == [
        "bad 0",
        "bad at last (and 1000 more before it, not shown)",
        "a new one",
    ]


def test_an_error_of_ours_comes_with_its_origin(caplog: pytest.LogCaptureFixture) -> None:
    rejections = RejectionLog(logging.getLogger("test"), HandClock())
    rejections.report("handler failed", ValueError("deep inside"))
    assert caplog.records[0].levelno == logging.ERROR
    assert "deep inside" in caplog.text
