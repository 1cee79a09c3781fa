"""An expression that names are matched with, whole: a machine whose states are made when a name first leads to them.

Every character of a name is one look-up, once its state is known. What a state costs is counted: an expression whose
states do not come to an end is refused, as one that is too large is at once.
"""

from enum import Enum

from snakka.coordination.groups.consumer.patterns.character_classes import PERL_CLASSES
from snakka.coordination.groups.consumer.patterns.parser import parse
from snakka.coordination.groups.consumer.patterns.syntax_tree import (
    BITS,
    OTHERS,
    Assertion,
    Characters,
    Choice,
    Condition,
    Node,
    PatternError,
    Repetition,
    Sequence,
)

_MAX_STEPS = 2_000
_MAX_STATES = 2_000
_MAX_WORK = 1_000_000
_ACCEPT = 0


class _Around(Enum):
    """What is on one side of a place in a name."""

    NOTHING = 0
    WORD = 1
    OTHER = 2


_KINDS = {
    character: _Around.WORD if bit & PERL_CLASSES["w"] else _Around.OTHER for character, bit in BITS.items()
}


class _State:
    """All steps that could be next, before what must hold is looked at."""

    __slots__ = ("accepts", "before", "following", "steps")

    def __init__(self, steps: frozenset[int], before: _Around) -> None:
        self.steps = steps
        self.before = before
        self.following: dict[str, _State] = {}
        self.accepts: bool | None = None


class TopicPattern:
    """PatternError if it is no expression, or one that is too large."""

    def __init__(self, pattern: str) -> None:
        # A step reads a character of its mask and goes on, or goes on at once in several ways, if its condition holds.
        self._masks: list[int] = [0]
        self._conditions: list[Assertion | None] = [None]
        self._targets: list[list[int]] = [[]]
        self._has_word_conditions = False
        self._work = 0
        start = self._steps_of(parse(pattern), _ACCEPT)
        self._states: dict[tuple[frozenset[int], _Around], _State] = {}
        self._start = self._state(frozenset((start,)), _Around.NOTHING)

    def matches(self, name: str) -> bool:
        """PatternError if finding out takes too long."""
        state = self._start
        for character in name:
            following = state.following.get(character)
            if following is None:
                following = self._follow(state, character)
            state = following
            if not state.steps:
                return False
        if state.accepts is None:
            state.accepts = _ACCEPT in self._reached(state, _Around.NOTHING)
        return state.accepts

    # -- steps ----------------------------------------------------------------------------------------------------

    def _add(self, targets: list[int], mask: int = 0, condition: Assertion | None = None) -> int:
        if len(self._masks) >= _MAX_STEPS:
            raise PatternError("expression too large")
        self._masks.append(mask)
        self._conditions.append(condition)
        self._targets.append(targets)
        return len(self._masks) - 1

    def _steps_of(self, node: Node, after: int) -> int:
        """The first step of a node that goes on to the step `after`."""
        if isinstance(node, Characters):
            # What no name has is a step that leads nowhere, and bit 0 of nothing.
            return self._add([after], node.mask) if node.mask else self._add([])
        if isinstance(node, Condition):
            word = node.assertion in (Assertion.WORD_BOUNDARY, Assertion.NO_WORD_BOUNDARY)
            self._has_word_conditions |= word
            return self._add([after], condition=node.assertion)
        if isinstance(node, Sequence):
            for part in reversed(node.nodes):
                after = self._steps_of(part, after)
            return after
        if isinstance(node, Choice):
            return self._add([self._steps_of(part, after) for part in node.nodes])
        return self._steps_of_repetition(node, after)

    def _steps_of_repetition(self, node: Repetition, after: int) -> int:
        start = after
        if node.most is None:
            targets = [after]
            start = self._add(targets)
            targets.append(self._steps_of(node.node, start))
        else:
            for _ in range(node.most - node.least):
                start = self._add([self._steps_of(node.node, start), after])
        for _ in range(node.least):
            start = self._steps_of(node.node, start)
        return start

    # -- states ---------------------------------------------------------------------------------------------------

    def _state(self, steps: frozenset[int], before: _Around) -> _State:
        if len(self._states) >= _MAX_STATES:
            # Forgotten, and found again if they are needed; the work that this is counts.
            self._states.clear()
            self._start.following.clear()
        return self._states.setdefault((steps, before), _State(steps, before))

    def _follow(self, state: _State, character: str) -> _State:
        bit, kind = BITS.get(character, OTHERS), _KINDS.get(character, _Around.OTHER)
        targets = frozenset(
            target
            for step in self._reached(state, kind)
            if self._masks[step] & bit
            for target in self._targets[step]
        )
        # What was before matters only to conditions; that there was something, to all that ask for the beginning.
        before = kind if self._has_word_conditions else _Around.OTHER
        following = state.following[character] = self._state(targets, before)
        return following

    def _reached(self, state: _State, after: _Around) -> set[int]:
        """The steps that read a character, and the last one, as far as what is around lets one come."""
        seen: set[int] = set()
        open_steps = list(state.steps)
        while open_steps:
            step = open_steps.pop()
            if step in seen:
                continue
            seen.add(step)
            if not self._masks[step] and self._holds(self._conditions[step], state.before, after):
                open_steps += self._targets[step]
        self._work += len(seen)
        if self._work > _MAX_WORK:
            raise PatternError("expression too costly")
        return seen

    @staticmethod
    def _holds(condition: Assertion | None, before: _Around, after: _Around) -> bool:
        if condition is None:
            return True
        if condition is Assertion.BEGIN:
            return before is _Around.NOTHING
        if condition is Assertion.END:
            return after is _Around.NOTHING
        is_boundary = (before is _Around.WORD) != (after is _Around.WORD)
        return is_boundary == (condition is Assertion.WORD_BOUNDARY)
