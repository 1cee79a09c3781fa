"""The compatibility referee: the same requests to Apache Kafka and to Snakka must get the same answers, field by field.

A case is a function of a broker and a version that asks whatever it likes; it runs against both, in every version of the
API that it is about, and every answer is compared:

    @case(DeleteTopicsRequest)
    def a_topic_that_is_not_there(broker: Broker, version: int) -> None:
        broker.ask(DeleteTopicsRequest(topic_names=["missing"], timeout_ms=5_000), version)

What no two brokers can answer alike (ids, ports, times) is replaced by `normal_form`; where answers differ for a reason,
`differences.py` says which.
"""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

from tests.kafka.differences import DIFFERENCES, Difference
from tests.kafka.normal_form import NormalForm
from tests.kafka.settling import settle
from tests.kafka.wire import DEADLINE_SECONDS, ConnectionClosedError, Wire, newest_version

from snakka.protocol.api_keys import API_FACTS, ApiKey
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.message import Message
from snakka.protocol.messages.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from snakka.protocol.uuids import Uuid

# What changes metadata.
CHANGES = {
    ApiKey.ALTER_CONFIGS,
    ApiKey.CREATE_PARTITIONS,
    ApiKey.CREATE_TOPICS,
    ApiKey.DELETE_TOPICS,
    ApiKey.INCREMENTAL_ALTER_CONFIGS,
    ApiKey.UPDATE_FEATURES,
}

Script = Callable[["Broker", int], None]


class Case(NamedTuple):
    """One script, and the versions in which it runs."""

    name: str
    versions: range
    script: Script
    ignored: frozenset[str]


CASES: list[Case] = []


def case(
    request_type: type[Message],
    *,
    first: int | None = None,
    last: int | None = None,
    ignored: tuple[str, ...] = (),
) -> Callable[[Script], Script]:
    """Declares a case for every version of an API, or for those from `first` to `last`.

    Fields named in `ignored` are not compared.
    """
    facts = API_FACTS[request_type.API_KEY]
    lowest = facts.min_version if first is None else first
    highest = newest_version(request_type.API_KEY) if last is None else last

    def declare(script: Script) -> Script:
        name = f"{facts.module}:{script.__name__}"
        assert not any(known.name == name for known in CASES), f"there are two cases {name}"
        CASES.append(Case(name, range(lowest, highest + 1), script, frozenset(ignored)))
        return script

    return declare


class Answer(NamedTuple):
    """One answer in its normal form; `api` is None for bytes that are no request."""

    api: str
    version: int
    content: Any


class Topic(NamedTuple):
    """A topic that a case has created."""

    name: str
    id: Uuid


class Caller:
    """A client with a connection of its own, whose request may wait for what others do."""

    def __init__(self, wire: Wire, heard: Callable[[str, int, Any], None]) -> None:
        self._wire = wire
        self._heard = heard
        self._asked = (0, 0)

    def begin(self, request: Message, version: int) -> None:
        """Asks; `end` is the answer."""
        self._asked = (request.API_KEY, version)
        self._wire.send(request, version)

    def end(self) -> Any:
        """The answer, which is compared."""
        key, version = self._asked
        response = self._wire.answer(key, version)
        self._heard(API_FACTS[key].module, version, response)
        return response

    def ask(self, request: Message, version: int) -> Any:
        self.begin(request, version)
        return self.end()


class Broker:
    """One of the two brokers, as a case sees it; a fresh one for each case and version."""

    def __init__(self, ports: dict[str, int], data: str, judged: Case, version: int) -> None:
        self._ports = ports
        self._prefix = f"{judged.name}-v{version}".replace(":", ".")
        self._wires: dict[str, Wire] = {}
        self._callers: list[Wire] = []
        self._normal_form = NormalForm(ports, data, judged.ignored)
        self.answers: list[Answer] = []

    def ask(
        self,
        request: Message,
        version: int | None = None,
        *,
        listener: str = "PLAINTEXT",
        patience_seconds: float = DEADLINE_SECONDS,
        passing: frozenset[int] = frozenset(),
    ) -> Any:
        """The answer, which is compared; None if there is none, and that is compared as well.

        While the answer is one of the `passing` errors, the broker is asked again.
        """
        if version is None:
            version = newest_version(request.API_KEY)
        api = API_FACTS[request.API_KEY].module
        wire = self._wire(listener)
        wire.be_patient(patience_seconds)
        deadline = time.monotonic() + patience_seconds
        try:
            response = wire.ask(request, version)
            while passing and error_in(response) in passing and time.monotonic() < deadline:
                time.sleep(0.005)
                response = wire.ask(request, version)
        except (ConnectionClosedError, TimeoutError) as error:
            self._wires.pop(listener).close()
            self.answers.append(Answer(api, version, type(error).__name__))
            return None
        self._heard(api, version, response)
        if request.API_KEY in CHANGES and not getattr(request, "validate_only", False):
            self.settle()
        return response

    def ask_own(self, request: Message, version: int, rows: str, name: str) -> None:
        """For lists of everything: only rows with names of this case are compared."""
        response = self._wire("PLAINTEXT").ask(request, version)
        own = [row for row in getattr(response, rows) if getattr(row, name).startswith(self.name(""))]
        setattr(response, rows, own)
        self._heard(API_FACTS[request.API_KEY].module, version, response)

    def _heard(self, api: str, version: int, response: Message) -> None:
        self.answers.append(Answer(api, version, self._normal_form.of(response)))

    def caller(self) -> Caller:
        """One more client."""
        wire = Wire(self._ports["PLAINTEXT"])
        self._callers.append(wire)
        return Caller(wire, self._heard)

    def do(self, request: Message, version: int | None = None) -> None:
        """For what need not be answered alike."""
        self._wire("PLAINTEXT").ask(request, version)
        self.settle()

    def until(self, request: Message, is_done: Callable[[Any], bool]) -> None:
        """Asks again and again until the answer says that something is done."""
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not is_done(self._wire("PLAINTEXT").ask(request)):
            assert time.monotonic() < deadline, f"{request} did not come true"
            time.sleep(0.01)

    def send(self, request: Message, version: int) -> None:
        """For requests that get no answer."""
        self._wire("PLAINTEXT").send(request, version)

    def send_bytes(self, data: bytes, *, listener: str = "PLAINTEXT") -> bytes | None:
        """Any bytes at all; the frame that comes back, or None if the connection is closed."""
        wire = self._wire(listener)
        try:
            wire.send_bytes(data)
            answer = wire.receive()
        except ConnectionClosedError:
            self._wires.pop(listener).close()
            answer = None
        self.answers.append(Answer("bytes", 0, "closed" if answer is None else "answered"))
        return answer

    def name(self, text: str) -> str:
        """A name that no other case uses."""
        return f"{self._prefix}-{text}"

    def topic(self, text: str = "topic", partitions: int = 1, **configs: str) -> Topic:
        """A new topic; `configs` have underscores for dots."""
        given = [
            CreatableTopicConfig(name=key.replace("_", "."), value=value) for key, value in configs.items()
        ]
        topic = CreatableTopic(
            name=self.name(text), num_partitions=partitions, replication_factor=1, configs=given
        )
        response = self._wire("PLAINTEXT").ask(CreateTopicsRequest(topics=[topic], timeout_ms=20_000))
        row = response.topics[0]
        assert row.error_code == ErrorCode.NONE, (ErrorCode(row.error_code).name, row.error_message)
        self._normal_form.know("topic_id", row.topic_id, text)
        self.settle()
        return Topic(row.name, row.topic_id)

    @property
    def port(self) -> int:
        return self._ports["PLAINTEXT"]

    def settle(self) -> None:
        """Waits until what has been changed is in effect."""
        settle(self._wire("PLAINTEXT"))

    def _wire(self, listener: str) -> Wire:
        if listener not in self._wires:
            self._wires[listener] = Wire(self._ports[listener])
        return self._wires[listener]

    def close(self) -> None:
        for wire in (*self._wires.values(), *self._callers):
            wire.close()


def error_in(message: Message) -> int:
    """The first error anywhere in an answer; 0 if there is none."""
    for name in message._fields():
        value = getattr(message, name)
        if name.endswith("error_code"):
            found = value
        else:
            rows = value if isinstance(value, list) else [value]
            found = next(filter(None, (error_in(row) for row in rows if isinstance(row, Message))), 0)
        if found:
            return int(found)
    return 0


class Disagreement(NamedTuple):
    """A place where two answers differ; `path` names it without positions in lists."""

    api: str
    version: int
    path: str
    where: str
    kafka: Any
    snakka: Any

    def __str__(self) -> str:
        return (
            f"{self.api} v{self.version} {self.where}: Kafka says {self.kafka!r}, Snakka says {self.snakka!r}"
        )

    def reason(self, case_name: str) -> Difference | None:
        """Why the list of differences allows it, if it does."""
        for difference in DIFFERENCES:
            if difference.allows(case_name, f"{self.api} {self.path}", self.kafka, self.snakka):
                return difference
        return None


def compare(kafka: list[Answer], snakka: list[Answer]) -> list[Disagreement]:
    """Every place where the answers of the two brokers to one script differ."""
    found: list[Disagreement] = []
    for number, (theirs, ours) in enumerate(zip(kafka, snakka, strict=False), 1):
        context = (theirs.api, theirs.version)
        if theirs[:2] != ours[:2]:
            found.append(Disagreement(*context, "", f"answer {number}", theirs[:2], ours[:2]))
        _walk(context, "", f"answer {number}", theirs.content, ours.content, found)
    if len(kafka) != len(snakka):
        found.append(Disagreement("", 0, "", "number of answers", len(kafka), len(snakka)))
    return found


def _walk(
    context: tuple[str, int], path: str, where: str, kafka: Any, snakka: Any, found: list[Disagreement]
) -> None:
    if isinstance(kafka, dict) and isinstance(snakka, dict) and kafka.keys() == snakka.keys():
        for name, value in kafka.items():
            inner = f"{path}.{name}" if path else name
            _walk(context, inner, f"{where}.{name}", value, snakka[name], found)
    elif isinstance(kafka, list) and isinstance(snakka, list) and len(kafka) == len(snakka):
        for index, value in enumerate(kafka):
            _walk(context, path, f"{where}[{index}]", value, snakka[index], found)
    elif kafka != snakka:
        found.append(Disagreement(*context, path, where, kafka, snakka))


def apis_with_cases() -> set[ApiKey]:
    modules = {known.name.partition(":")[0] for known in CASES}
    return {key for key, facts in API_FACTS.items() if facts.module in modules}
