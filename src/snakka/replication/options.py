"""Options of replicas, fetches and waiting requests.

Rule: only declarations, in the notation of `snakka.options.option.declare`; code elsewhere gives them effect.
"""

OPTIONS = """
# Followers
num.replica.fetchers int 1 >=1 high cluster-wide inert
    Parallel fetches from each other broker.
replica.lag.time.max.ms long 30000 high inert
    A follower that has not caught up for this long leaves the in-sync replicas.
replica.fetch.min.bytes int 1 high inert
    A follower's fetch waits until there is this much to return.
replica.fetch.max.bytes int 1048576 >=0 medium inert
    Bytes that a follower asks for a partition; a larger first batch is still returned.
replica.fetch.response.max.bytes int 10485760 >=0 medium inert
    Bytes that a follower asks for in one answer, over all partitions.
replica.fetch.wait.max.ms int 500 high inert
    How long a follower's fetch may wait for data; keep it below replica.lag.time.max.ms.
replica.fetch.backoff.ms int 1000 >=0 medium inert
    The pause before a partition is fetched again after an error.
replica.socket.timeout.ms int 30000 high inert
    How long a follower waits for an answer; at least replica.fetch.wait.max.ms.
replica.socket.receive.buffer.bytes int 65536 high inert
    Kernel receive buffer of a follower's connection; -1 leaves it to the system.
replica.selector.class string null medium inert
    A Java class that chooses the replica that consumers read from.
replica.high.watermark.checkpoint.interval.ms long 5000 high
    How often the high watermarks are written to disk.
num.replica.alter.log.dirs.threads int null high inert
    Threads that move replicas between directories; one a directory if not set.
follower.fetch.last.tiered.offset.enable boolean false medium cluster-wide inert
    Whether a new follower starts at the last offset that is in remote storage.

# Fetch and waiting requests
fetch.max.bytes int 57671680 >=1024 medium
    The most bytes that one fetch is answered with, whatever the client asks for.
max.incremental.fetch.session.cache.slots int 1000 >=0 medium
    How many fetch sessions are remembered.
max.request.partition.size.limit int 2000 >=1 medium
    Partitions in one answer to a request that lists topics.
fetch.purgatory.purge.interval.requests int 1000 medium inert
    After how many finished requests the waiting fetches are swept.
producer.purgatory.purge.interval.requests int 1000 medium inert
    After how many finished requests the waiting produces are swept.
delete.records.purgatory.purge.interval.requests int 1 medium inert
    After how many finished requests the waiting record deletions are swept.

# Throttles, set at run time only
leader.replication.throttled.rate long 9223372036854775807 >=0 medium cluster-wide inert internal
    Bytes a second that a leader sends to throttled replicas.
follower.replication.throttled.rate long 9223372036854775807 >=0 medium cluster-wide inert internal
    Bytes a second that a follower takes for throttled replicas.
replica.alter.log.dirs.io.max.bytes.per.second long 9223372036854775807 >=0 medium cluster-wide inert internal
    Bytes a second that moves between directories may take.
"""
