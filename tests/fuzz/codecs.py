"""Codecs: every damaged message or record decodes or raises ProtocolError, and what decodes can be written again."""

import random
import time
from collections.abc import Iterator
from typing import NamedTuple

from snakka.protocol.api_keys import request_class, response_class
from snakka.protocol.errors import ProtocolError
from snakka.protocol.message import Message
from snakka.protocol.metadata_framing import decode_record, encode_record
from tests.fuzz.mutations import damaged, damaged_samples
from tests.protocol.golden_files import golden, message_class


class DamagedMessage(NamedTuple):
    """Bytes, and the class that is to make something of them. A version of None: as it lies in the metadata log."""

    kind: type[Message]
    version: int | None
    body: bytes


def fuzz_codecs(seed: int, seconds: float, most: int = 1 << 62) -> int:
    """How many messages were tried; AssertionError with the bytes if one broke a codec."""
    chance = random.Random(seed)
    until = time.monotonic() + seconds
    messages, records = _damaged_messages(chance), _damaged_records(chance)
    count = 0
    while count < most and (count % 256 or time.monotonic() < until):
        kind, version, body = next(records if count % 5 == 0 else messages)
        try:
            if version is None:
                decode_record(body)
            else:
                kind.decode(memoryview(body), version).encode(version)
        except ProtocolError:
            pass
        except Exception as error:
            raise AssertionError(
                f"{kind.__name__} v{version} broke on {body.hex()} (seed {seed}): {error!r}"
            ) from error
        count += 1
    return count


def _damaged_messages(chance: random.Random) -> Iterator[DamagedMessage]:
    for sample in damaged_samples(chance):
        kind = request_class(sample.key) if sample.kind == "request" else response_class(sample.key)
        yield DamagedMessage(kind, sample.version, sample.body)


def _damaged_records(chance: random.Random) -> Iterator[DamagedMessage]:
    """Records of every log and of every version; those of the metadata log in their frames as well."""
    known: list[DamagedMessage] = []
    for line in golden("golden_records"):
        kind, version, body = message_class(line), line["version"], bytes.fromhex(line["hex"])
        known.append(DamagedMessage(kind, version, body))
        if line["area"].endswith("/metadata"):
            known.append(DamagedMessage(kind, None, encode_record(kind.decode(body, version), version)))
    while True:
        chosen = chance.choice(known)
        yield chosen._replace(body=damaged(chance, chosen.body))
