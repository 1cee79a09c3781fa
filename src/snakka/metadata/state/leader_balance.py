"""Elections that the controller holds of its own accord, in rounds of limited size."""

from itertools import islice

from snakka.metadata.image.cluster import ClusterImage
from snakka.metadata.state.decision import Decision
from snakka.metadata.state.isr_changes import Located, edit_partition, without_leader
from snakka.metadata.state.leader_election import Election
from snakka.metadata.state.rules import ControllerRules


def balance_leaders(image: ClusterImage, rules: ControllerRules) -> Decision[bool]:
    """Leadership goes back to preferred replicas that can take it. True: there may be more to do."""
    return _elect_round(
        image,
        rules,
        [located for located in image.topics.all_partitions() if not located[2].has_preferred_leader],
        Election.PREFERRED,
    )


def elect_unclean_leaders(image: ClusterImage, rules: ControllerRules) -> Decision[bool]:
    """Partitions without a leader get one at any price, where their topics allow it. True: there may be more to do."""
    waiting = [
        located for located in without_leader(image) if rules.unclean_election_enabled(image, located[0].name)
    ]
    return _elect_round(image, rules, waiting, Election.UNCLEAN)


def _elect_round(
    image: ClusterImage, rules: ControllerRules, candidates: list[Located], election: Election
) -> Decision[bool]:
    built = (edit_partition(image, rules, located, election).build() for located in candidates)
    records = list(islice((record for record in built if record is not None), rules.max_elections_per_round))
    return Decision(records, len(records) >= rules.max_elections_per_round, atomic=False)
