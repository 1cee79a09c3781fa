"""The frame that Confluent's serializers put before a value: a zero byte, and the id of the schema in four bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from snakka.spark.decoding.lanes import Lanes, Numbers

FRAME_BYTES = 5
NOT_FRAMED = "is not framed: a zero byte and a schema's id come first"
_NO_ID = "is framed with a schema's id that can't be"
# Registries number with Java's ints, and do not say of others that there is no such schema.
_MOST_ID = 2**31 - 1


def frame_ids(lanes: Lanes) -> Numbers:
    """Steps over the frame of each value: the ids of the schemas. What has no frame, or none that can be, fails."""
    import numpy as np

    short = lanes.end - lanes.position < FRAME_BYTES
    unframed = short | (lanes.data[lanes.position] != 0)
    if unframed.any():
        lanes.fail(np.flatnonzero(unframed), NOT_FRAMED)
    ids = lanes.data[lanes.position[:, None] + np.arange(1, FRAME_BYTES)].view(">u4").reshape(-1)
    if (ids > _MOST_ID).any():
        lanes.fail(np.flatnonzero(ids > _MOST_ID), _NO_ID)
    good = ~lanes.failed()
    lanes.position[good] += FRAME_BYTES
    return ids.astype(np.int64)
