"""Who reads what: the assignors of the classic protocol, pure, by the names that they have on the wire."""

from collections.abc import Mapping
from types import MappingProxyType

from snakka.client.consumer.groups.assignors.cooperative_sticky import CooperativeStickyAssignor
from snakka.client.consumer.groups.assignors.members import Assignor, MemberSubscription
from snakka.client.consumer.groups.assignors.range import RangeAssignor
from snakka.client.consumer.groups.assignors.round_robin import RoundRobinAssignor
from snakka.client.consumer.groups.assignors.sticky import StickyAssignor

__all__ = ["ASSIGNORS", "Assignor", "MemberSubscription"]

ASSIGNORS: Mapping[str, Assignor] = MappingProxyType(
    {
        each.name: each
        for each in (RangeAssignor(), RoundRobinAssignor(), StickyAssignor(), CooperativeStickyAssignor())
    }
)
