"""Options of the logs on disk, and the configs that each topic may set for its own.

Rule: only declarations, in the notation of `snakka.options.option.declare`; code elsewhere gives them effect.
"""

OPTIONS = """
# Directories
log.dir list /tmp/kafka-logs + high
    The directory of the partition logs when log.dirs is not set.
log.dirs list null + high
    The directories of the partition logs; partitions are spread over them.
cordoned.log.dirs list '' medium per-broker
    Directories of log.dirs that take no new partitions; * means all.
log.dir.failure.timeout.ms long 30000 >=1 low inert
    How long a broker may fail to report a lost directory to the controller before it stops itself.
num.recovery.threads.per.data.dir int 2 >=1 high cluster-wide
    How many logs of one directory are loaded or flushed at the same time at start and stop.
log.initial.task.delay.ms long 30000 >=0 low internal
    How long after the start the first retention, flush and checkpoint runs begin.

# Segments
log.segment.bytes int 1073741824 >=1048576 high cluster-wide
    A log starts a new segment file when the current one would grow past this.
log.roll.ms long null high cluster-wide
    A log starts a new segment when the current one is this old; log.roll.hours counts if it is not set.
log.roll.hours int 168 >=1 high
    The age in hours at which a log starts a new segment; log.roll.ms has precedence.
log.roll.jitter.ms long null high cluster-wide
    Up to this much is taken at random off the roll time, so that logs do not all roll together.
log.roll.jitter.hours int 0 >=0 high
    The roll jitter in hours; log.roll.jitter.ms has precedence.
log.index.size.max.bytes int 10485760 >=4 medium cluster-wide
    The largest size of an offset or time index; a full index also rolls the segment.
log.index.interval.bytes int 4096 >=0 medium cluster-wide
    An index entry is written about every so many bytes of records.
log.preallocate boolean false medium cluster-wide
    Whether a new segment file is given its full size at once.
log.segment.delete.delay.ms long 60000 >=0 high cluster-wide
    How long a removed segment file stays on disk, for readers that still have it.

# Retention
log.retention.ms long null high cluster-wide
    How long records are kept; -1 keeps them for ever. Has precedence over the minutes and the hours.
log.retention.minutes int null high
    How long records are kept, in minutes, when log.retention.ms is not set.
log.retention.hours int 168 high
    How long records are kept, in hours, when neither log.retention.ms nor log.retention.minutes is set.
log.retention.bytes long -1 high cluster-wide
    The size that a partition is cut back to, oldest segments first; -1 sets no limit.
log.retention.check.interval.ms long 300000 >=1 medium
    How often logs are looked over for segments to remove.
log.local.retention.ms long -2 >=-2 medium cluster-wide inert
    How long records stay on local disk once they are in remote storage; -2 means as log.retention.ms.
log.local.retention.bytes long -2 >=-2 medium cluster-wide inert
    How much stays on local disk once it is in remote storage; -2 means as log.retention.bytes.

# Cleaning
log.cleanup.policy list delete {compact,delete} medium cluster-wide
    What happens to old segments: delete, compact, both, or, if empty, nothing.
log.cleaner.enable boolean true medium
    Whether compacted logs are cleaned at all; leave it on, offsets topics need it.
log.cleaner.threads int 1 >=0 medium cluster-wide inert
    How many logs are cleaned at the same time.
log.cleaner.io.max.bytes.per.second double 1.7976931348623157E308 medium cluster-wide
    Limit of what the cleaner reads and writes together a second.
log.cleaner.dedupe.buffer.size long 134217728 medium cluster-wide
    Memory for the keys of the logs being cleaned, for all cleaner threads together.
log.cleaner.io.buffer.size int 524288 >=0 medium cluster-wide inert
    Memory for the cleaner's reading and writing, for all cleaner threads together.
log.cleaner.io.buffer.load.factor double 0.9 medium cluster-wide
    How full the table of keys may get; higher cleans more at once, with more collisions.
log.cleaner.backoff.ms long 15000 >=0 medium cluster-wide
    How long the cleaner sleeps when there is nothing to clean.
log.cleaner.min.cleanable.ratio double 0.5 0..1 medium cluster-wide
    The share of a log that must be uncleaned before it is cleaned.
log.cleaner.delete.retention.ms long 86400000 >=0 medium cluster-wide
    How long a tombstone stays in a compacted log, so that slow readers see the deletion.
log.cleaner.min.compaction.lag.ms long 0 >=0 medium cluster-wide
    A record stays uncompacted for at least this long.
log.cleaner.max.compaction.lag.ms long 9223372036854775807 >=1 medium cluster-wide
    A record is compacted at the latest after this long.

# Flushing and checkpoints
log.flush.interval.messages long 9223372036854775807 >=1 high cluster-wide
    How many records a log takes before it is synced to disk; 1 syncs before each answer.
log.flush.interval.ms long null high cluster-wide
    How long records may stay unsynced; log.flush.scheduler.interval.ms counts if it is not set.
log.flush.scheduler.interval.ms long 9223372036854775807 high
    How often logs are looked over for what is due to be synced.
log.flush.offset.checkpoint.interval.ms int 60000 >=0 high
    How often the recovery points are written, from which a start after a crash begins to check.
log.flush.start.offset.checkpoint.interval.ms int 60000 >=0 high
    How often the start offsets of the logs are written.

# Records
message.max.bytes int 1048588 >=0 high cluster-wide
    The largest record batch that is accepted, after compression.
log.message.timestamp.type string CreateTime {CreateTime,LogAppendTime} medium cluster-wide
    Whether records have the time of their producer (CreateTime) or of their append (LogAppendTime).
log.message.timestamp.before.max.ms long 9223372036854775807 >=0 medium cluster-wide
    How far in the past a record's timestamp may lie; only with CreateTime.
log.message.timestamp.after.max.ms long 3600000 >=0 medium cluster-wide
    How far in the future a record's timestamp may lie; only with CreateTime.
compression.type string producer {uncompressed,zstd,lz4,snappy,gzip,producer} high cluster-wide
    How records are stored: as the producer sent them, uncompressed, or in the named compression.
compression.gzip.level int -1 1..9|-1 medium cluster-wide
    The gzip level when the broker compresses; -1 is gzip's own default.
compression.lz4.level int 9 1..17 medium cluster-wide
    The lz4 level when the broker compresses.
compression.zstd.level int 3 -131072..22 medium cluster-wide
    The zstd level when the broker compresses.
producer.id.expiration.ms int 86400000 >=1 low cluster-wide
    An idempotent producer is forgotten after this long without a write.
producer.id.expiration.check.interval.ms int 600000 >=1 low internal
    How often idle producers are looked for.
"""

TOPIC_OPTIONS = """
segment.bytes int 1073741824 >=1048576 medium <log.segment.bytes
    The topic's logs start a new segment file when the current one would grow past this.
segment.ms long 604800000 >=1 medium <log.roll.ms,log.roll.hours*3600000
    The topic's logs start a new segment when the current one is this old.
segment.jitter.ms long 0 >=0 medium <log.roll.jitter.ms,log.roll.jitter.hours*3600000
    Up to this much is taken at random off segment.ms, so that logs do not all roll together.
segment.index.bytes int 10485760 >=4 medium <log.index.size.max.bytes
    The largest size of an offset or time index of the topic.
internal.segment.bytes int null medium internal
    Segment size below the usual bound, for tests; has precedence over segment.bytes.
index.interval.bytes int 4096 >=0 medium <log.index.interval.bytes
    An index entry is written about every so many bytes of records.
preallocate boolean false medium <log.preallocate
    Whether a new segment file is given its full size at once.
file.delete.delay.ms long 60000 >=0 medium <log.segment.delete.delay.ms
    How long a removed segment file stays on disk, for readers that still have it.
retention.ms long 604800000 >=-1 medium \
    <log.retention.ms,log.retention.minutes*60000,log.retention.hours*3600000
    How long records are kept; -1 keeps them for ever.
retention.bytes long -1 medium <log.retention.bytes
    The size that a partition is cut back to, oldest segments first; -1 sets no limit.
cleanup.policy list delete {compact,delete} medium <log.cleanup.policy
    What happens to old segments: delete, compact, both, or, if empty, nothing.
min.cleanable.dirty.ratio double 0.5 0..1 medium <log.cleaner.min.cleanable.ratio
    The share of a log that must be uncleaned before it is cleaned.
min.compaction.lag.ms long 0 >=0 medium <log.cleaner.min.compaction.lag.ms
    A record stays uncompacted for at least this long.
max.compaction.lag.ms long 9223372036854775807 >=1 medium <log.cleaner.max.compaction.lag.ms
    A record is compacted at the latest after this long.
delete.retention.ms long 86400000 >=0 medium <log.cleaner.delete.retention.ms
    How long a tombstone stays in a compacted log, so that slow readers see the deletion.
flush.messages long 9223372036854775807 >=1 medium <log.flush.interval.messages
    How many records a log takes before it is synced to disk; 1 syncs before each answer.
flush.ms long 9223372036854775807 >=0 medium <log.flush.interval.ms,log.flush.scheduler.interval.ms
    How long records may stay unsynced.
max.message.bytes int 1048588 >=0 medium <message.max.bytes
    The largest record batch that the topic accepts, after compression.
message.timestamp.type string CreateTime {CreateTime,LogAppendTime} medium <log.message.timestamp.type
    Whether records have the time of their producer (CreateTime) or of their append (LogAppendTime).
message.timestamp.before.max.ms long 9223372036854775807 >=0 medium <log.message.timestamp.before.max.ms
    How far in the past a record's timestamp may lie; only with CreateTime.
message.timestamp.after.max.ms long 3600000 >=0 medium <log.message.timestamp.after.max.ms
    How far in the future a record's timestamp may lie; only with CreateTime.
compression.type string producer {uncompressed,zstd,lz4,snappy,gzip,producer} medium <compression.type
    How records are stored: as the producer sent them, uncompressed, or in the named compression.
compression.gzip.level int -1 1..9|-1 medium <compression.gzip.level
    The gzip level when the broker compresses; -1 is gzip's own default.
compression.lz4.level int 9 1..17 medium <compression.lz4.level
    The lz4 level when the broker compresses.
compression.zstd.level int 3 -131072..22 medium <compression.zstd.level
    The zstd level when the broker compresses.
min.insync.replicas int 1 >=1 medium <min.insync.replicas
    How many replicas must have a record before acks=all is answered.
unclean.leader.election.enable boolean false medium <unclean.leader.election.enable
    Whether a replica that is not in sync may lead when no other is left; records can be lost.
leader.replication.throttled.replicas list '' @replicas medium
    Replicas, as PARTITION:BROKER entries or *, that leaders send to at the throttled rate.
follower.replication.throttled.replicas list '' @replicas medium
    Replicas, as PARTITION:BROKER entries or *, that followers fetch at the throttled rate.
remote.storage.enable boolean false medium
    Whether old segments move to remote storage; refused while tiering is off.
remote.log.copy.disable boolean false medium
    Whether a tiered topic stops copying further segments.
remote.log.delete.on.disable boolean false medium
    Whether remote data is removed when a topic stops being tiered.
local.retention.ms long -2 >=-2 medium <log.local.retention.ms
    How long records stay on local disk once they are in remote storage; -2 means as retention.ms.
local.retention.bytes long -2 >=-2 medium <log.local.retention.bytes
    How much stays on local disk once it is in remote storage; -2 means as retention.bytes.
"""
