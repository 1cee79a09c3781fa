"""An answer that comes later, without a task: a handler returns a Waiting and whoever makes the event true completes it.

The rule: it ends exactly once, by `complete` or by the client's disconnect, and whatever comes after that is ignored.
"""

from collections.abc import Callable

from snakka.protocol.frame import Frame
from snakka.protocol.message import Message

Encode = Callable[[Message | None], Frame | None]


class Waiting:
    """The place that a request keeps in its connection's order of answers."""

    __slots__ = ("_deliver", "_disconnected", "_encode", "answer", "is_done", "response")

    def __init__(self) -> None:
        self.is_done = False
        # Completed before the handler returned it: the dispatcher answers with this at once.
        self.response: Message | None = None
        # The written answer, from completion until its turn has come; None if there is none to send.
        self.answer: Frame | None = None
        self._encode: Encode | None = None
        self._deliver: Callable[[Waiting], None] | None = None
        self._disconnected: Callable[[], None] | None = None

    def complete(self, response: Message | None) -> None:
        """The answer is known; None means that the client awaits none. Only the first call counts."""
        if self.is_done:
            return
        self.is_done = True
        self._disconnected = None
        if self._encode is None or self._deliver is None:
            self.response = response
            return
        self.answer = self._encode(response)
        self._deliver(self)

    def on_disconnect(self, callback: Callable[[], None]) -> None:
        """The client has gone: `callback` drops what waits for it. One callback; a later one replaces it."""
        if not self.is_done:
            self._disconnected = callback

    def bind(self, encode: Encode, deliver: Callable[["Waiting"], None]) -> None:
        """Tie it to its request (how the answer is written) and its connection (who sends it when its turn comes)."""
        self._encode = encode
        self._deliver = deliver

    def disconnect(self) -> None:
        """The connection is lost."""
        self._encode = self._deliver = None
        if self.is_done:
            return
        self.is_done = True
        callback, self._disconnected = self._disconnected, None
        if callback is not None:
            callback()
