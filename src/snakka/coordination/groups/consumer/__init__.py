"""Consumer groups (KIP-848): the coordinator assigns, members reconcile step by step.

`group` and `member` are the state, `heartbeat` is what members of the consumer protocol ask, `classic_members` what those
of the classic protocol ask (KIP-848's live migration); `replaying` and `timeouts` have what the shard calls.
"""

from snakka.coordination.groups.consumer.replaying import replay
from snakka.coordination.groups.consumer.timeouts import expire, loaded, topics_changed

__all__ = ["expire", "loaded", "replay", "topics_changed"]
