"""Damaged messages: golden bytes of every API and version, bent in the ways that break parsers."""

import random
from collections.abc import Iterator
from typing import NamedTuple

from snakka.protocol.api_keys import API_FACTS
from tests.protocol.golden_files import golden

# Values that lengths and counts are fond of going wrong with.
NASTY = (
    b"\x7f\xff\xff\xff",
    b"\xff\xff\xff\xff",
    b"\x80\x00\x00\x00",
    b"\xff\xff\xff\xff\x0f",
    b"\xff\xff\xff\xff\xff\xff",
    b"\x7f\xff",
    b"\x00",
    b"\x80",
)


class Sample(NamedTuple):
    """One message body with its API, version and side."""

    key: int
    version: int
    kind: str
    body: bytes


def samples() -> list[Sample]:
    keys = {facts.name: key for key, facts in API_FACTS.items()}
    return [
        Sample(keys[line["api"]], line["version"], line["kind"], bytes.fromhex(line["hex"]))
        for line in golden("golden")
    ]


def damaged(chance: random.Random, body: bytes) -> bytes:
    """The body after one to three accidents."""
    data = bytearray(body)
    for _ in range(chance.randrange(1, 4)):
        accident = chance.randrange(6)
        place = chance.randrange(len(data) + 1)
        if accident == 0 and data:
            data[place % len(data)] = chance.randrange(256)
        elif accident == 1:
            del data[place:]
        elif accident == 2:
            nasty = chance.choice(NASTY)
            data[place : place + len(nasty)] = nasty
        elif accident == 3:
            data[place:place] = chance.randbytes(chance.randrange(1, 20))
        elif accident == 4:
            del data[place : place + chance.randrange(1, 8)]
        else:
            data += data[:place]
    return bytes(data[:65536])


def damaged_samples(chance: random.Random) -> Iterator[Sample]:
    """Without end."""
    known = samples()
    while True:
        sample = chance.choice(known)
        if chance.randrange(20) == 0:
            yield sample._replace(body=chance.randbytes(chance.randrange(200)))
        else:
            yield sample._replace(body=damaged(chance, sample.body))
