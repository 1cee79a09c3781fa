"""What groups commit: offsets, with and without transactions, their expiry and deletion.

`store` is the state, `records` how it is written and replayed; the rest decides: one file for each thing that is asked.
"""

from snakka.coordination.groups.offsets.records import replay

__all__ = ["replay"]
