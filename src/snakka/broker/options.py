"""Options of groups, transactions, quotas, metrics and remote storage; configs of groups and client metrics.

Rule: only declarations, in the notation of `snakka.options.option.declare`; code elsewhere gives them effect.
"""

OPTIONS = """
# Requests and threads
request.timeout.ms int 30000 high
    How long a request between nodes may take before it is sent again or fails.
num.io.threads int 8 >=1 high cluster-wide inert
    Threads that handle requests in Apache Kafka; Snakka handles them on its event loop.
background.threads int 10 >=1 high cluster-wide inert
    Threads for background work in Apache Kafka; Snakka uses tasks.
config.providers list '' low cluster-wide inert
    Java classes that fill variables in config values; can't be loaded here.

# Groups
group.coordinator.rebalance.protocols list classic,consumer,streams \
    +{consumer,classic,share,streams} medium
    The kinds of groups that are served: classic, consumer, share, streams.
group.coordinator.threads int 4 >=1 high inert
    Threads of the group coordinator in Apache Kafka.
group.coordinator.background.threads int 2 >=1 high inert
    Threads of the group coordinator's slow work in Apache Kafka.
group.coordinator.append.linger.ms int -1 >=-1 medium inert
    How long group records are collected before they are written; -1 adapts to the load.
group.coordinator.cached.buffer.max.bytes int 1048588 >=524288 medium cluster-wide inert
    The largest write buffer that the group coordinator keeps for the next write.
group.min.session.timeout.ms int 6000 medium
    The shortest session timeout that a classic member may ask for.
group.max.session.timeout.ms int 1800000 medium
    The longest session timeout that a classic member may ask for.
group.initial.rebalance.delay.ms int 3000 medium
    How long a new classic group waits for further members before its first rebalance.
group.max.size int 2147483647 >=1 medium
    Members that a classic group may have.

# Committed offsets
offsets.topic.num.partitions int 50 >=1 high
    Partitions of the topic of committed offsets; can't change once it exists.
offsets.topic.replication.factor short 3 >=1 high
    Replicas of the topic of committed offsets; it is not created until there are so many brokers.
offsets.topic.segment.bytes int 104857600 >=1 high
    Segment size of the topic of committed offsets; small ones load faster.
offsets.topic.compression.codec int 0 0..4 high
    Compression of that topic by number: 0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd.
offsets.commit.timeout.ms int 5000 >=1 high
    How long a commit waits for its replicas.
offsets.load.buffer.size int 5242880 >=1 high
    Bytes read at a time when offsets are loaded.
offset.metadata.max.bytes int 4096 high
    The largest text that a client may store with a commit.
offsets.retention.minutes int 10080 >=1 high
    How long offsets are kept after a group has become empty.
offsets.retention.check.interval.ms long 600000 >=1 high
    How often expired offsets are looked for.

# Consumer groups (KIP-848)
group.consumer.session.timeout.ms int 45000 >=1 medium
    A member is removed after this long without a heartbeat.
group.consumer.min.session.timeout.ms int 45000 >=1 medium
    The smallest session timeout that a group config may set.
group.consumer.max.session.timeout.ms int 60000 >=1 medium
    The largest session timeout that a group config may set.
group.consumer.heartbeat.interval.ms int 5000 >=1 medium
    How often members are told to send heartbeats.
group.consumer.min.heartbeat.interval.ms int 5000 >=1 medium
    The smallest heartbeat interval that a group config may set.
group.consumer.max.heartbeat.interval.ms int 15000 >=1 medium
    The largest heartbeat interval that a group config may set.
group.consumer.max.size int 2147483647 >=1 medium
    Members that a consumer group may have.
group.consumer.assignors list uniform,range + medium
    The server-side assignors, the first of which is the default.
group.consumer.migration.policy string bidirectional ~{DISABLED,DOWNGRADE,UPGRADE,BIDIRECTIONAL} medium
    Whether classic groups may become consumer groups, the reverse, both or neither.
group.consumer.assignment.interval.ms int 1000 >=0 medium cluster-wide
    The shortest time between two assignments of a group.
group.consumer.min.assignment.interval.ms int 0 >=0 medium
    The smallest assignment interval that a group config may set.
group.consumer.max.assignment.interval.ms int 15000 >=0 medium
    The largest assignment interval that a group config may set.
group.consumer.regex.refresh.interval.ms int 600000 >=10000 medium internal
    How often subscriptions by pattern are matched again.

# Share groups
group.share.session.timeout.ms int 45000 >=1 medium inert
    A member of a share group is removed after this long without a heartbeat.
group.share.min.session.timeout.ms int 45000 >=1 medium inert
    The smallest session timeout that a share group's config may set.
group.share.max.session.timeout.ms int 60000 >=1 medium inert
    The largest session timeout that a share group's config may set.
group.share.heartbeat.interval.ms int 5000 >=1 medium inert
    How often members of a share group are told to send heartbeats.
group.share.min.heartbeat.interval.ms int 5000 >=1 medium inert
    The smallest heartbeat interval that a share group's config may set.
group.share.max.heartbeat.interval.ms int 15000 >=1 medium inert
    The largest heartbeat interval that a share group's config may set.
group.share.max.size int 200 1..1000 medium inert
    Members that a share group may have.
group.share.assignors list simple + medium inert
    The assignors of share groups.
group.share.assignment.interval.ms int 1000 >=0 medium cluster-wide inert
    The shortest time between two assignments of a share group.
group.share.min.assignment.interval.ms int 0 >=0 medium inert
    The smallest assignment interval that a share group's config may set.
group.share.max.assignment.interval.ms int 15000 >=0 medium inert
    The largest assignment interval that a share group's config may set.
group.share.initialize.retry.interval.ms int 30000 >=1 low inert internal
    The pause before a failed initialization of share state is tried again.
group.share.delivery.count.limit int 5 2..10 medium inert
    How often a record is delivered before it is given up.
group.share.min.delivery.count.limit int 2 2..5 medium inert
    The smallest delivery limit that a share group's config may set.
group.share.max.delivery.count.limit int 10 5..25 medium inert
    The largest delivery limit that a share group's config may set.
group.share.record.lock.duration.ms int 30000 1000..3600000 medium inert
    How long an acquired record is locked for its consumer.
group.share.min.record.lock.duration.ms int 15000 1000..30000 medium inert
    The shortest lock that a share group's config may set.
group.share.max.record.lock.duration.ms int 60000 30000..3600000 medium inert
    The longest lock that a share group's config may set.
group.share.partition.max.record.locks int 2000 100..10000 medium inert
    How many records of a partition may be locked at once.
group.share.min.partition.max.record.locks int 100 100..2000 medium inert
    The smallest lock limit that a share group's config may set.
group.share.max.partition.max.record.locks int 4000 2000..10000 medium inert
    The largest lock limit that a share group's config may set.
group.share.max.share.sessions int 2000 >=1 medium inert
    Share sessions that a broker holds.
group.share.persister.class.name string \
    org.apache.kafka.server.share.persister.DefaultStatePersister medium inert internal
    A Java class that keeps share state.
share.fetch.purgatory.purge.interval.requests int 1000 medium inert
    After how many finished requests the waiting share fetches are swept.
share.coordinator.state.topic.num.partitions int 50 >=1 high
    Partitions of the topic of share state; can't change once it exists.
share.coordinator.state.topic.replication.factor short 3 >=1 high
    Replicas of the topic of share state.
share.coordinator.state.topic.min.isr short 2 >=1 high
    In-sync replicas that a write to the topic of share state needs.
share.coordinator.state.topic.segment.bytes int 104857600 >=1 high
    Segment size of the topic of share state.
share.coordinator.state.topic.compression.codec int 0 0..4 high inert
    Compression of that topic by number, as for offsets.topic.compression.codec.
share.coordinator.state.topic.prune.interval.ms int 300000 >=1 low inert internal
    How often the topic of share state is cut off at its oldest needed record.
share.coordinator.threads int 1 >=1 medium inert
    Threads of the share coordinator in Apache Kafka.
share.coordinator.snapshot.update.records.per.snapshot int 500 0..500 medium inert
    Updates that are written between two snapshots of share state.
share.coordinator.cold.partition.snapshot.interval.ms int 300000 >=1 low inert internal
    How often partitions without updates get a snapshot.
share.coordinator.load.buffer.size int 5242880 >=1 high inert
    Bytes read at a time when share state is loaded.
share.coordinator.append.linger.ms int -1 >=-1 medium inert
    How long share records are collected before they are written; -1 adapts to the load.
share.coordinator.write.timeout.ms int 5000 >=1 high inert
    How long a write of share state waits for its replicas.
share.coordinator.cached.buffer.max.bytes int 1048588 >=524288 medium cluster-wide inert
    The largest write buffer that the share coordinator keeps for the next write.

# Streams groups
group.streams.session.timeout.ms int 45000 >=1 medium inert
    A member of a streams group is removed after this long without a heartbeat.
group.streams.min.session.timeout.ms int 45000 >=1 medium inert
    The smallest session timeout that a streams group's config may set.
group.streams.max.session.timeout.ms int 60000 >=1 medium inert
    The largest session timeout that a streams group's config may set.
group.streams.heartbeat.interval.ms int 5000 >=1 medium inert
    How often members of a streams group are told to send heartbeats.
group.streams.min.heartbeat.interval.ms int 5000 >=1 medium inert
    The smallest heartbeat interval that a streams group's config may set.
group.streams.max.heartbeat.interval.ms int 15000 >=1 medium inert
    The largest heartbeat interval that a streams group's config may set.
group.streams.max.size int 2147483647 >=1 medium inert
    Members that a streams group may have.
group.streams.num.standby.replicas int 0 >=0 medium inert
    Standby tasks of each stateful task.
group.streams.max.standby.replicas int 2 >=0 medium inert
    The most standby tasks that a streams group's config may set.
group.streams.initial.rebalance.delay.ms int 3000 >=0 medium inert
    How long a new streams group waits for further members.
group.streams.assignment.interval.ms int 1000 >=0 medium cluster-wide inert
    The shortest time between two assignments of a streams group.
group.streams.min.assignment.interval.ms int 0 >=0 medium inert
    The smallest assignment interval that a streams group's config may set.
group.streams.max.assignment.interval.ms int 15000 >=0 medium inert
    The largest assignment interval that a streams group's config may set.

# Transactions
transaction.state.log.num.partitions int 50 >=1 high
    Partitions of the topic of transaction state; can't change once it exists.
transaction.state.log.replication.factor short 3 >=1 high
    Replicas of the topic of transaction state.
transaction.state.log.min.isr int 2 >=1 high
    In-sync replicas that a write to the topic of transaction state needs.
transaction.state.log.segment.bytes int 104857600 >=1 high
    Segment size of the topic of transaction state.
transaction.state.log.load.buffer.size int 5242880 >=1 high
    Bytes read at a time when transaction state is loaded.
transaction.max.timeout.ms int 900000 >=1 high
    The longest timeout that a transactional producer may ask for.
transactional.id.expiration.ms int 604800000 >=1 high
    A transactional id is forgotten after this long without use.
transaction.abort.timed.out.transaction.cleanup.interval.ms int 10000 >=1 low
    How often transactions that ran out of time are aborted.
transaction.remove.expired.transaction.cleanup.interval.ms int 3600000 >=1 low
    How often expired transactional ids are removed.
transaction.partition.verification.enable boolean true low cluster-wide
    Whether a write is checked to belong to an open transaction.
transaction.two.phase.commit.enable boolean false low inert
    Whether producers may take part in two-phase commits.
add.partitions.to.txn.retry.backoff.ms int 20 >=1 high
    The first pause before the transaction coordinator is asked again.
add.partitions.to.txn.retry.backoff.max.ms int 100 >=0 high
    The longest pause before the transaction coordinator is asked again.

# Quotas
quota.window.num int 11 >=1 low inert
    Samples that client quotas are measured over.
quota.window.size.seconds int 1 >=1 low inert
    Length of a sample of client quotas.
replication.quota.window.num int 11 >=1 low inert
    Samples that replication quotas are measured over.
replication.quota.window.size.seconds int 1 >=1 low inert
    Length of a sample of replication quotas.
alter.log.dirs.replication.quota.window.num int 11 >=1 low inert
    Samples that moves between directories are measured over.
alter.log.dirs.replication.quota.window.size.seconds int 1 >=1 low inert
    Length of a sample of moves between directories.
controller.quota.window.num int 11 >=1 low inert
    Samples that quotas on topic changes are measured over.
controller.quota.window.size.seconds int 1 >=1 low inert
    Length of a sample of quotas on topic changes.
client.quota.callback.class class null low inert
    A Java class that decides on quotas.

# Metrics
metrics.num.samples int 2 >=1 low inert
    Samples that a metric is measured over.
metrics.sample.window.ms long 30000 >=1 low inert
    Length of a sample of a metric.
metrics.recording.level string INFO low inert
    How much is measured: INFO, DEBUG or TRACE.
metric.reporters list org.apache.kafka.common.metrics.JmxReporter low cluster-wide inert
    Java classes that report metrics; Snakka answers /metrics instead.
kafka.metrics.reporters list '' low inert
    Java classes that report the older metrics.
kafka.metrics.polling.interval.secs int 10 >=1 low inert
    How often those older reporters are called.
telemetry.max.bytes int 1048576 >=1 low inert
    The largest push of metrics that a client may send.

# Remote storage
remote.log.storage.system.enable boolean false medium inert
    Whether segments are moved to remote storage; Snakka keeps them local.
remote.log.storage.manager.class.name string null + medium inert
    A Java class that stores segments remotely.
remote.log.storage.manager.class.path string null medium inert
    Where that storage class is found.
remote.log.storage.manager.impl.prefix string rsm.config. + medium inert
    Prefix of the options that are handed to the storage class.
remote.log.metadata.manager.class.name string \
    org.apache.kafka.server.log.remote.metadata.storage.TopicBasedRemoteLogMetadataManager + medium inert
    A Java class that keeps track of remote segments.
remote.log.metadata.manager.class.path string null medium inert
    Where that tracking class is found.
remote.log.metadata.manager.impl.prefix string rlmm.config. + medium inert
    Prefix of the options that are handed to the tracking class.
remote.log.metadata.manager.listener.name string null + medium inert
    The listener that the tracking class connects to.
remote.log.metadata.custom.metadata.max.bytes int 128 >=0 low inert
    The largest custom note on a remote segment.
remote.log.index.file.cache.total.size.bytes long 1073741824 >=1 low cluster-wide inert
    Local space for index files of remote segments.
remote.log.index.file.cache.ttl.ms long 900000 >=-1 low inert internal
    How long such an index file is kept without use.
remote.log.manager.thread.pool.size int 2 >=1 medium inert
    Threads for remote copies and removals.
remote.log.manager.copier.thread.pool.size int 10 >=1 medium cluster-wide inert
    Threads that copy segments to remote storage.
remote.log.manager.expiration.thread.pool.size int 10 >=1 medium cluster-wide inert
    Threads that remove expired remote segments.
remote.log.manager.follower.thread.pool.size int 2 >=1 medium cluster-wide inert
    Threads that follow the remote segments of other leaders.
remote.log.manager.task.interval.ms long 30000 >=1 low inert
    How often remote work is looked for.
remote.log.manager.task.retry.backoff.ms long 500 >=1 low inert internal
    The first pause before remote work is tried again.
remote.log.manager.task.retry.backoff.max.ms long 30000 >=1 low inert internal
    The longest pause before remote work is tried again.
remote.log.manager.task.retry.jitter double 0.2 0..0.5 low inert internal
    Random share that is added to those pauses.
remote.log.reader.threads int 10 >=1 medium cluster-wide inert
    Threads that read from remote storage.
remote.log.reader.max.pending.tasks int 100 >=1 medium inert
    Remote reads that may wait.
remote.log.manager.copy.max.bytes.per.second long 9223372036854775807 >=1 medium cluster-wide inert
    Bytes a second that may be copied to remote storage.
remote.log.manager.copy.quota.window.num int 11 >=1 medium inert
    Samples that remote copies are measured over.
remote.log.manager.copy.quota.window.size.seconds int 1 >=1 medium inert
    Length of a sample of remote copies.
remote.log.manager.fetch.max.bytes.per.second long 9223372036854775807 >=1 medium cluster-wide inert
    Bytes a second that may be read from remote storage.
remote.log.manager.fetch.quota.window.num int 11 >=1 medium inert
    Samples that remote reads are measured over.
remote.log.manager.fetch.quota.window.size.seconds int 1 >=1 medium inert
    Length of a sample of remote reads.
remote.fetch.max.wait.ms int 500 >=1 medium cluster-wide inert
    How long a fetch waits for remote storage.
remote.list.offsets.request.timeout.ms long 30000 >=1 medium cluster-wide inert
    How long a look-up of offsets waits for remote storage.
"""

GROUP_OPTIONS = """
consumer.session.timeout.ms int 45000 >=1 medium <group.consumer.session.timeout.ms
    A member is removed after this long without a heartbeat.
consumer.heartbeat.interval.ms int 5000 >=1 medium <group.consumer.heartbeat.interval.ms
    How often members are told to send heartbeats.
consumer.assignment.interval.ms int 1000 >=0 medium <group.consumer.assignment.interval.ms
    The shortest time between two assignments.
share.session.timeout.ms int 45000 >=1 medium <group.share.session.timeout.ms inert
    A member of the share group is removed after this long without a heartbeat.
share.heartbeat.interval.ms int 5000 >=1 medium <group.share.heartbeat.interval.ms inert
    How often members of the share group are told to send heartbeats.
share.record.lock.duration.ms int 30000 >=1000 medium <group.share.record.lock.duration.ms inert
    How long an acquired record is locked for its consumer.
share.delivery.count.limit int 5 >=2 medium <group.share.delivery.count.limit inert
    How often a record is delivered before it is given up.
share.partition.max.record.locks int 2000 >=100 medium <group.share.partition.max.record.locks inert
    How many records of a partition may be locked at once.
share.auto.offset.reset string latest @reset medium inert
    Where a new share group starts: earliest, latest, or by_duration: with an ISO 8601 duration.
share.isolation.level string read_uncommitted {read_committed,read_uncommitted} medium inert
    Whether records of open or aborted transactions are delivered.
share.renew.acknowledge.enable boolean true medium inert
    Whether consumers may renew the lock of a record.
share.assignment.interval.ms int 1000 >=0 medium <group.share.assignment.interval.ms inert
    The shortest time between two assignments of the share group.
streams.session.timeout.ms int 45000 >=1 medium <group.streams.session.timeout.ms inert
    A member of the streams group is removed after this long without a heartbeat.
streams.heartbeat.interval.ms int 5000 >=1 medium <group.streams.heartbeat.interval.ms inert
    How often members of the streams group are told to send heartbeats.
streams.num.standby.replicas int 0 >=0 medium <group.streams.num.standby.replicas inert
    Standby tasks of each stateful task.
streams.initial.rebalance.delay.ms int 3000 >=0 medium <group.streams.initial.rebalance.delay.ms inert
    How long the group waits for further members when it is new.
streams.assignment.interval.ms int 1000 >=0 medium <group.streams.assignment.interval.ms inert
    The shortest time between two assignments of the streams group.
"""

CLIENT_METRICS_OPTIONS = """
metrics list '' medium inert
    Prefixes of the metric names that clients are to send; * means all.
interval.ms int 300000 100..3600000 medium inert
    How often clients send them.
match list '' medium inert
    Which clients are meant, as NAME=PATTERN selectors; all if empty.
"""
