"""Options of the controller quorum and its metadata log.

Rule: only declarations, in the notation of `snakka.options.option.declare`; code elsewhere gives them effect.
"""

OPTIONS = """
# The quorum
controller.quorum.voters list '' @voters high
    The fixed voters as ID@HOST:PORT entries; for clusters that were formatted without a dynamic quorum.
controller.quorum.bootstrap.servers list '' @servers high
    HOST:PORT of some controllers, from which a node finds the quorum and its leader.
controller.quorum.auto.join.enable boolean false low inert
    Whether a controller that is not a voter adds itself to the quorum.
controller.quorum.election.timeout.ms int 1000 >=0 high
    How long a candidate waits for votes before it starts another election.
controller.quorum.fetch.timeout.ms int 2000 >=0 high inert
    How long a voter goes without a fetch from the leader before it stands for election.
controller.quorum.election.backoff.max.ms int 1000 >=0 high inert
    The longest random pause before a lost election is tried again.
controller.quorum.request.timeout.ms int 2000 >=0 medium inert
    How long to wait for the answer of another member of the quorum.
controller.quorum.retry.backoff.ms int 20 >=0 low inert
    The pause before a failed request to another member is sent again.
controller.quorum.append.linger.ms int 25 >=0 medium inert
    How long the leader collects metadata records before it writes them.
controller.quorum.fetch.max.bytes int 1048576 >=1 low inert
    The most bytes of the metadata log that one fetch asks for.
controller.quorum.fetch.snapshot.max.bytes int 1048576 >=1 low inert
    The most bytes of a metadata snapshot that one fetch asks for.

# The metadata log
metadata.log.dir string null high
    The directory of the metadata log; the first of log.dirs if it is not set.
metadata.log.segment.bytes int 1073741824 >=8388608 high
    The size at which the metadata log starts a new segment.
metadata.log.segment.ms long 604800000 high
    The age at which the metadata log starts a new segment.
metadata.log.max.record.bytes.between.snapshots long 20971520 >=1 high
    A snapshot is written when the metadata log has grown by this much since the last one.
metadata.log.max.snapshot.interval.ms long 3600000 >=0 high
    A snapshot is written at the latest after this long, if anything was committed; 0 turns that off.
metadata.max.retention.bytes long 104857600 high
    How large metadata log and snapshots may grow before the old ones are removed.
metadata.max.retention.ms long 604800000 high
    How old metadata segments and snapshots may get before they are removed.
metadata.max.idle.interval.ms int 500 >=0 low
    How often an idle leader writes a no-op record, so that others see that it lives; 0 turns it off.
internal.metadata.log.segment.bytes int null low internal
    Segment size of the metadata log below the usual bound, for tests.
internal.metadata.max.batch.size.in.bytes int 8388608 low inert internal
    The largest batch that is written to the metadata log.
internal.metadata.delete.delay.millis long 60000 low internal
    How long removed files of the metadata log stay on disk.
"""
