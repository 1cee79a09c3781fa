"""What became of each of the things that one call was about.

Rule: a call about many things fails as a whole only if nothing of it could be asked; else each thing has its result or its
own error, and none is lost because of another's.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Generic, TypeVar

from snakka.client.errors import ClientError
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError

K = TypeVar("K")
V = TypeVar("V")

Failure = ApiError | ClientError
Row = tuple[K, V | Failure]

_TEXTS = {
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: "{} does not exist",
    ErrorCode.UNKNOWN_TOPIC_ID: "{} does not exist",
    ErrorCode.GROUP_ID_NOT_FOUND: "{} does not exist",
    ErrorCode.TRANSACTIONAL_ID_NOT_FOUND: "{} does not exist",
    ErrorCode.NON_EMPTY_GROUP: "{} has members; stop them first",
    ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC: "{}: the group reads the topic now; stop its members first",
    ErrorCode.UNKNOWN_MEMBER_ID: "{} has members, or knows no such member",
    ErrorCode.INVALID_PARTITIONS: "{}: there is no such partition",
}


class Outcomes(Mapping[K, V]):
    """Results by what they are of: `outcomes[key]` is a result, or raises the error that is there instead.

    >>> outcomes = Outcomes({"orders": 3}, {"gone": ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)})
    >>> outcomes["orders"]
    3
    >>> list(outcomes), outcomes.errors["gone"].code.name
    (['orders', 'gone'], 'UNKNOWN_TOPIC_OR_PARTITION')
    """

    __slots__ = ("errors", "results")

    def __init__(self, results: Mapping[K, V], errors: Mapping[K, Failure]) -> None:
        self.results = results
        self.errors = errors

    def __getitem__(self, key: K) -> V:
        if key in self.errors:
            raise self.errors[key]
        return self.results[key]

    def __contains__(self, key: object) -> bool:
        return key in self.results or key in self.errors

    def __iter__(self) -> Iterator[K]:
        yield from self.results
        yield from self.errors

    def __len__(self) -> int:
        return len(self.results) + len(self.errors)

    def __repr__(self) -> str:
        return f"Outcomes(results={self.results!r}, errors={self.errors!r})"

    def raise_for_errors(self) -> Mapping[K, V]:
        """All results; raises the first error if there is any, with the others as notes."""
        failures = list(self.errors.items())
        if failures:
            first = failures[0][1]
            for key, error in failures[1:]:
                first.add_note(f"{key}: {error}")
            raise first
        return self.results


class Collected(Generic[K, V]):
    """Collects rows until everything has an outcome."""

    def __init__(self) -> None:
        self.results: dict[K, V] = {}
        self.errors: dict[K, Failure] = {}

    def take(self, key: K, outcome: V | Failure) -> None:
        if isinstance(outcome, ApiError | ClientError):
            self.errors[key] = outcome
        else:
            self.results[key] = outcome

    @property
    def outcomes(self) -> Outcomes[K, V]:
        return Outcomes(self.results, self.errors)


def outcomes_of(rows: Iterable[Row[K, V]]) -> Outcomes[K, V]:
    collected = Collected[K, V]()
    for key, outcome in rows:
        collected.take(key, outcome)
    return collected.outcomes


def failure(code: int, message: str | None, what: str) -> ApiError:
    """The error of an answer, about `what`, in words of its own where a broker's would not say which."""
    known = ErrorCode(code)
    if known in _TEXTS:
        return ApiError(known, _TEXTS[known].format(what))
    return ApiError(known, f"{what}: {message}" if message else what)


def outcome(value: V, code: int, message: str | None, what: str) -> V | Failure:
    """The value, unless the code says that there is none."""
    return failure(code, message, what) if code else value
