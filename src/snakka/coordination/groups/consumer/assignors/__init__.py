"""How the partitions of a group's topics are shared out among its members. Pure, and the same for the same input.

An assignor gets the members with what they were to have so far, and says what they are to have now.
"""

from collections.abc import Callable

from snakka.coordination.groups.consumer.assignors.range_assignor import assign_ranges
from snakka.coordination.groups.consumer.assignors.specification import Assignment, Specification
from snakka.coordination.groups.consumer.assignors.uniform_assignor import assign_uniformly

__all__ = ["ASSIGNORS", "Assignor"]

Assignor = Callable[[Specification], Assignment]

# By the names that `group.consumer.assignors` and members use.
ASSIGNORS: dict[str, Assignor] = {"uniform": assign_uniformly, "range": assign_ranges}
