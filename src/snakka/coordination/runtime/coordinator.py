"""A coordinator on this broker: a shard for each partition of its topic that this broker leads.

`submit` decides, `query` asks; both go to the shard that a key belongs to. A shard is loaded when the leadership comes and
dropped when it goes; in between, whoever asks is told to try again.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from snakka.coordination.decision import Decision, Marker, Moment
from snakka.coordination.runtime.loading import LogLoader
from snakka.coordination.runtime.reply import Reply
from snakka.coordination.runtime.shard_host import HostEnvironment, ShardHost
from snakka.coordination.shard import Shard
from snakka.protocol.coordinator_framing import Decode
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.replication.partition import Partition
from snakka.storage.files import StorageFailure

log = logging.getLogger(__name__)

S = TypeVar("S", bound=Shard)


class Coordinator(Generic[S]):
    """All shards of one internal topic that are led here."""

    def __init__(
        self,
        topic: str,
        environment: HostEnvironment,
        *,
        new_shard: Callable[[int, int], S],
        decode: Decode,
        load_buffer_bytes: Callable[[], int],
    ) -> None:
        """`new_shard(partition, leader_epoch)` makes the empty state of a shard."""
        self.topic = topic
        # How many partitions the topic has; None before it exists.
        self.partition_count: int | None = None
        self._environment = environment
        self._new_shard = new_shard
        self._decode = decode
        self._load_buffer_bytes = load_buffer_bytes
        self._hosts: dict[int, ShardHost[S]] = {}
        self._loading: dict[int, asyncio.Task[Any]] = {}
        self._epochs: dict[int, int] = {}

    # -- finding --------------------------------------------------------------------------------------------------

    def partition_of(self, key: str) -> int:
        """The partition that a group or a transactional id belongs to; ApiError if the topic does not exist yet."""
        if not self.partition_count:
            raise ApiError(ErrorCode.NOT_COORDINATOR, f"{self.topic} does not exist yet")
        return java_hash(key) % self.partition_count

    def hosts(self) -> Iterator[ShardHost[S]]:
        """Every loaded shard."""
        return iter(list(self._hosts.values()))

    @property
    def is_loading(self) -> bool:
        return bool(self._loading)

    def host(self, index: int) -> ShardHost[S]:
        """The shard of a partition; ApiError with COORDINATOR_LOAD_IN_PROGRESS or NOT_COORDINATOR if it is not here."""
        host = self._hosts.get(index)
        if host is None:
            if index in self._loading:
                raise ApiError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)
            raise ApiError(ErrorCode.NOT_COORDINATOR)
        if host.partition.leader_epoch != host.leader_epoch or host.partition.offline_error is not None:
            raise ApiError(ErrorCode.NOT_COORDINATOR)
        return host

    # -- asking ---------------------------------------------------------------------------------------------------

    def submit(self, key: str, decide: Callable[[S, Moment], Decision[Any]], reply: Reply) -> None:
        """Decide at the shard of `key`; the reply gets the response after the commit, or an ApiError."""
        try:
            host = self.host(self.partition_of(key))
        except ApiError as error:
            reply.complete(error)
        else:
            host.decide(decide, reply)

    def query(self, key: str, ask: Callable[[S, Moment], Any], reply: Reply) -> None:
        """Ask the shard of `key`; the reply gets what it says, or an ApiError."""
        try:
            host = self.host(self.partition_of(key))
        except ApiError as error:
            reply.complete(error)
        else:
            host.query(ask, reply)

    def decide_everywhere(self, decide: Callable[[S, Moment], Decision[Any]]) -> None:
        """For background work and for news that concern all shards."""
        for host in self.hosts():
            host.decide(decide, None)

    def end_transaction(self, index: int, marker: Marker, reply: Reply) -> None:
        """Write a marker into a partition of the topic. The reply gets True, or the ApiError of the append."""
        try:
            host = self.host(index)
        except ApiError as error:
            reply.complete(error)
        else:
            host.end_transaction(marker, reply)

    # -- leadership -----------------------------------------------------------------------------------------------

    def lead(self, partition: Partition) -> None:
        """This broker leads the partition in a new epoch: load its shard."""
        self.resign(partition.index)
        self._epochs[partition.index] = partition.leader_epoch
        shard = self._new_shard(partition.index, partition.leader_epoch)
        host = ShardHost(shard, partition, self._environment)
        if partition.log.log_start_offset == partition.log.log_end_offset:
            self._ready(host)
            return
        self._loading[partition.index] = self._environment.runtime.supervisor.spawn(
            f"load {self.topic}-{partition.index}", self._load(host)
        )

    def leads(self, index: int, leader_epoch: int) -> bool:
        """Whether the shard is here, or is being loaded, in that epoch."""
        return self._epochs.get(index) == leader_epoch

    def resign(self, index: int) -> None:
        """The partition is led elsewhere, in a new epoch, or gone."""
        self._epochs.pop(index, None)
        loading = self._loading.pop(index, None)
        if loading is not None:
            loading.cancel()
        host = self._hosts.pop(index, None)
        if host is not None:
            host.close()

    def close(self) -> None:
        for index in [*self._hosts, *self._loading]:
            self.resign(index)

    async def _load(self, host: ShardHost[S]) -> None:
        partition = host.partition
        loader = LogLoader(self._environment.runtime, self._decode, self._load_buffer_bytes())
        try:
            await loader.load(partition.log, host.shard)
        except StorageFailure as failure:
            self._environment.storage_failed(failure)
            return
        finally:
            if self._loading.get(partition.index) is asyncio.current_task():
                del self._loading[partition.index]
        if partition.leader_epoch == host.leader_epoch:
            self._ready(host)

    def _ready(self, host: ShardHost[S]) -> None:
        self._hosts[host.partition.index] = host
        host.decide(lambda shard, now: shard.loaded(now), None)


def java_hash(text: str) -> int:
    """What Kafka derives partitions of keys from: Java's hash of the UTF-16 units, without its sign."""
    value = 0
    encoded = text.encode("utf-16-be", "surrogatepass")
    for place in range(0, len(encoded), 2):
        value = (31 * value + (encoded[place] << 8 | encoded[place + 1])) & 0xFFFFFFFF
    return value if value < 0x80000000 else (0x100000000 - value) & 0x7FFFFFFF
