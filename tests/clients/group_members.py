"""Members of consumer groups as a test sees them: processes that tell what they were assigned and what they have read."""

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.clients.exchange import DEADLINE_SECONDS

ROOT = Path(__file__).parent.parent.parent


class Member:
    """One process of `group_member`; see there for what it tells and obeys."""

    def __init__(self, client: str, bootstrap: str, group: str, topic: str, **options: object) -> None:
        command = [sys.executable, "-m", "tests.clients.group_member", client]
        self._process = subprocess.Popen(
            [*command, bootstrap, group, topic, json.dumps(options)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        self.assignment: set[int] = set()
        # Everything that was told, in order.
        self.events: list[tuple[str, object]] = []
        self.records: list[tuple[int, int, str]] = []
        self._told: queue.Queue[str | None] = queue.Queue()
        self._errors: list[str] = []
        self._threads = [threading.Thread(target=self._read), threading.Thread(target=self._read_errors)]
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        for line in self._process.stdout:
            self._told.put(line)
        self._told.put(None)

    def _read_errors(self) -> None:
        self._errors.extend(self._process.stderr)

    # -- what is told -----------------------------------------------------------------------------------------------

    def hear(self) -> None:
        """Take in what has been told so far."""
        while True:
            try:
                line = self._told.get_nowait()
            except queue.Empty:
                return
            if line is None:
                assert self.count("closed"), f"the member has ended: {''.join(self._errors)}"
                return
            self._take(*json.loads(line))

    def _take(self, what: str, detail) -> None:
        self.events.append((what, detail))
        if what == "assigned":
            self.assignment |= set(detail)
        elif what in ("revoked", "lost"):
            self.assignment -= set(detail)
        elif what == "records":
            self.records += [tuple(record) for record in detail]

    def values(self) -> list[str]:
        return [value for _, _, value in self.records]

    def count(self, what: str) -> int:
        return sum(1 for kind, _ in self.events if kind == what)

    # -- what is asked ----------------------------------------------------------------------------------------------

    def obey(self, command: str) -> object:
        """What it tells when it has done so."""
        answer = "closed" if command == "close" else "committed"
        before = self.count(answer)
        self._process.stdin.write(f"{command}\n")
        self._process.stdin.flush()
        wait_until(lambda: self.count(answer) > before, [self])
        return [detail for what, detail in self.events if what == answer][-1]

    def commit(self, command: str = "commit") -> dict[int, int]:
        return {int(partition): offset for partition, offset in self.obey(command).items()}

    def close(self) -> float:
        """How many seconds the client took."""
        seconds = self.obey("close")
        assert self._process.wait(DEADLINE_SECONDS) == 0
        return seconds

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def end(self) -> None:
        """Let go of everything, whatever has happened."""
        if self._process.poll() is None:
            self.kill()
        for thread in self._threads:
            thread.join()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            pipe.close()


def wait_until(condition: Callable[[], bool], members: Iterable[Member]) -> None:
    """Listen to the members until something is true of them."""
    listeners = list(members)
    deadline = time.monotonic() + DEADLINE_SECONDS
    while True:
        for member in listeners:
            member.hear()
        if condition():
            return
        assert time.monotonic() < deadline, [member.events[-10:] for member in listeners]
        time.sleep(0.01)


def wait_until_shared(members: Sequence[Member], partitions: int) -> None:
    """Until each partition has one owner, and each member has partitions."""

    def is_shared() -> bool:
        owned = [partition for member in members for partition in member.assignment]
        return sorted(owned) == list(range(partitions)) and all(member.assignment for member in members)

    wait_until(is_shared, members)


@contextmanager
def members_of(client: str, bootstrap: str, group: str, topic: str) -> Iterator[Callable[..., Member]]:
    """Starts members; those that are left at the end are killed."""
    started: list[Member] = []

    def start(**options: object) -> Member:
        started.append(Member(client, bootstrap, group, topic, **options))
        return started[-1]

    try:
        yield start
    finally:
        for member in started:
            member.end()
