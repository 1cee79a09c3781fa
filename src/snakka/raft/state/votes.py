"""Counting the answers to one round of vote requests."""

from dataclasses import dataclass, field

from snakka.raft.state.voters import VoterSet


@dataclass(slots=True)
class VoteTally:
    """Who granted and who refused. The set of voters is the one that was valid when the round began."""

    voters: VoterSet
    granted: set[int] = field(default_factory=set)
    refused: set[int] = field(default_factory=set)

    def record(self, node_id: int, granted: bool) -> None:
        """The first answer of a voter counts; a stranger's counts for nothing."""
        if self.voters.get(node_id) is None or node_id in self.granted or node_id in self.refused:
            return
        (self.granted if granted else self.refused).add(node_id)

    @property
    def is_won(self) -> bool:
        return len(self.granted) >= self.voters.majority

    @property
    def is_lost(self) -> bool:
        """Not even all the answers that are still to come would make a majority."""
        return len(self.voters) - len(self.refused) < self.voters.majority

    @property
    def unanswered(self) -> tuple[int, ...]:
        return tuple(node_id for node_id in self.voters.ids if node_id not in self.granted | self.refused)
