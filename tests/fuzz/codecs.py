"""Codecs: every damaged message decodes or raises ProtocolError, and what decodes can be written again."""

import random
import time

from snakka.protocol.api_keys import request_class, response_class
from snakka.protocol.errors import ProtocolError
from tests.fuzz.mutations import damaged_samples


def fuzz_codecs(seed: int, seconds: float, most: int = 1 << 62) -> int:
    """How many messages were tried; AssertionError with the bytes if one broke a codec."""
    chance = random.Random(seed)
    until = time.monotonic() + seconds
    count = 0
    for sample in damaged_samples(chance):
        kind = request_class(sample.key) if sample.kind == "request" else response_class(sample.key)
        try:
            message = kind.decode(memoryview(sample.body), sample.version)
            message.encode(sample.version)
        except ProtocolError:
            pass
        except Exception as error:
            raise AssertionError(
                f"{kind.__name__} v{sample.version} broke on {sample.body.hex()} (seed {seed}): {error!r}"
            ) from error
        count += 1
        if count >= most or (count % 256 == 0 and time.monotonic() >= until):
            return count
    return count
