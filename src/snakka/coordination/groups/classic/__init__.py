"""Classic groups: the members elect a leader, who assigns.

`group` has the state, `requests` is where the requests of classic clients come in, `records` and `sessions` have what the
shard calls: records that are replayed, and deadlines that are due.
"""

from snakka.coordination.groups.classic.records import replay
from snakka.coordination.groups.classic.sessions import expire, loaded

__all__ = ["expire", "loaded", "replay"]
