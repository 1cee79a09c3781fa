"""The levels of this process's loggers, under Kafka's names for levels (KIP-412). Nothing of it is stored.

Rule: only the root logger and Snakka's own are shown and changed, because the process may be somebody else's.
"""

import logging
from collections.abc import Iterator, Sequence

from snakka.metadata.state.configs import APPEND, DELETE, SET, SUBTRACT
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.messages.incremental_alter_configs import AlterableConfig

log = logging.getLogger(__name__)

ROOT = "root"
_OWN = "snakka"

# From the least to the most that is logged; Python has no name for the last.
_LEVELS = {
    "FATAL": logging.CRITICAL,
    "ERROR": logging.ERROR,
    "WARN": logging.WARNING,
    "INFO": logging.INFO,
    "DEBUG": logging.DEBUG,
    "TRACE": 5,
}


def logger_levels() -> dict[str, str]:
    """Every logger with the level in effect."""
    levels = {ROOT: _level_name(logging.getLogger())}
    levels.update((logger.name, _level_name(logger)) for logger in _own_loggers())
    return dict(sorted(levels.items()))


def alter_logger_levels(changes: Sequence[AlterableConfig], *, validate_only: bool) -> None:
    """Set or unset levels, all of them or none; ApiError as Kafka has it."""
    loggers = {logger.name: logger for logger in _own_loggers()}
    loggers[ROOT] = logging.getLogger()
    for change in changes:
        _check(change, loggers)
    if validate_only:
        return
    for change in changes:
        name = None if change.config_operation == DELETE else change.value
        loggers[change.name].setLevel(logging.NOTSET if name is None else _LEVELS[name])
        log.warning("the level of logger %s is now %s", change.name, name or "inherited")


def _check(change: AlterableConfig, loggers: dict[str, logging.Logger]) -> None:
    if change.config_operation in (APPEND, SUBTRACT):
        raise ApiError(ErrorCode.INVALID_REQUEST, "The level of a logger is no list.")
    if change.config_operation not in (SET, DELETE):
        raise ApiError(
            ErrorCode.INVALID_REQUEST, f"There is no operation {change.config_operation} on configs."
        )
    if change.name not in loggers:
        raise ApiError(ErrorCode.INVALID_CONFIG, f"There is no logger {change.name}.")
    if change.config_operation == DELETE:
        if change.name == ROOT:
            raise ApiError(ErrorCode.INVALID_REQUEST, "The root logger must have a level.")
    elif change.value is None:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"The level of {change.name} cannot be null.")
    elif change.value not in _LEVELS:
        raise ApiError(
            ErrorCode.INVALID_CONFIG,
            f"'{change.value}' is no level for {change.name}; levels are {', '.join(sorted(_LEVELS))}.",
        )


def _own_loggers() -> Iterator[logging.Logger]:
    yield logging.getLogger(_OWN)
    # Names of which there are only descendants have no logger but a place-holder.
    for name, logger in list(logging.root.manager.loggerDict.items()):
        if name.startswith(f"{_OWN}.") and isinstance(logger, logging.Logger):
            yield logger


def _level_name(logger: logging.Logger) -> str:
    level = logger.getEffectiveLevel()
    return next((name for name, lowest in _LEVELS.items() if level >= lowest), "TRACE")
