"""Which names a topic may have."""

import re

from snakka.protocol.errors import ApiError, ErrorCode

MAX_LENGTH = 249
METADATA_TOPIC = "__cluster_metadata"
INTERNAL_TOPICS = frozenset({"__consumer_offsets", "__transaction_state", "__share_group_state"})

_LEGAL = re.compile(r"[a-zA-Z0-9._-]+\Z")


def check_topic_name(name: str) -> None:
    """INVALID_TOPIC_EXCEPTION says what is wrong with the name."""
    problem = ""
    if not name:
        problem = "it is empty"
    elif name in (".", ".."):
        problem = f"'{name}' means a directory"
    elif len(name) > MAX_LENGTH:
        problem = f"it has {len(name)} characters, and {MAX_LENGTH} are the most"
    elif not _LEGAL.match(name):
        problem = f"'{name}' has characters other than ASCII letters, digits, '.', '_' and '-'"
    if problem:
        raise ApiError(ErrorCode.INVALID_TOPIC_EXCEPTION, f"Topic name is invalid: {problem}")
