"""Elections of partitions' leaders: of the preferred replica, or of any that lives."""

from collections.abc import Iterable

from snakka.client.admin.calls import AdminCalls
from snakka.client.admin.outcomes import Outcomes, outcome, outcomes_of
from snakka.client.topic_partition import TopicPartition, by_topic
from snakka.protocol.messages.elect_leaders import ElectLeadersRequest, ElectLeadersResponse, TopicPartitions

_PREFERRED, _UNCLEAN = 0, 1


class ElectionAdmin(AdminCalls):
    """What can be done about leaders."""

    async def elect_leaders(
        self,
        partitions: Iterable[TopicPartition] | None = None,
        *,
        unclean: bool = False,
        timeout_ms: int | None = None,
    ) -> Outcomes[TopicPartition, None]:
        """Let the preferred replicas lead these partitions, or all; ELECTION_NOT_NEEDED where they do.

        With `unclean` any living replica may lead where there is no leader, though records may be lost.

        >>> created = await admin.create_topic("elections")
        >>> chosen = await admin.elect_leaders([TopicPartition("elections", 0)])
        >>> chosen[TopicPartition("elections", 0)]
        Traceback (most recent call last):
        snakka.protocol.errors.ApiError: ELECTION_NOT_NEEDED
        """
        deadline = self._deadline(timeout_ms)
        topics = None
        if partitions is not None:
            topics = [
                TopicPartitions(topic=name, partitions=indexes)
                for name, indexes in by_topic(partitions).items()
            ]
        request = ElectLeadersRequest(
            election_type=_UNCLEAN if unclean else _PREFERRED,
            topic_partitions=topics,
            timeout_ms=self._broker_ms(deadline),
        )
        response = await self._ask_any(request, ElectLeadersResponse, deadline)
        for topic in response.replica_election_results:
            self.cluster.forget(topic.topic)
        return outcomes_of(
            (key, outcome(None, row.error_code, row.error_message, str(key)))
            for topic in response.replica_election_results
            for row in topic.partition_result
            for key in (TopicPartition(topic.topic, row.partition_id),)
        )
