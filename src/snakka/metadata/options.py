"""Options of the node, and of how the controller places topics and chooses leaders.

Rule: only declarations, in the notation of `snakka.options.option.declare`; code elsewhere gives them effect.
"""

OPTIONS = """
# The node
process.roles list required +{broker,controller} high
    What this node is: broker, controller, or both.
node.id int required >=0 high
    The id of this node, unique in the cluster; it can't change once the directories are formatted.
broker.id int -1 high
    The older name of node.id; if both are set they must agree.
broker.rack string null medium
    The rack or zone of this broker; replicas are spread over racks.
initial.broker.registration.timeout.ms int 60000 medium inert
    How long a starting broker tries to register with the controller before it gives up.
broker.heartbeat.interval.ms int 2000 medium
    How often a broker tells the controller that it lives.
broker.session.timeout.ms int 9000 medium
    A broker is fenced when the controller has heard nothing from it for this long.
controlled.shutdown.enable boolean true medium inert
    Whether a stopping broker hands its leaderships over first.
server.max.startup.time.ms long 9223372036854775807 >=0 medium inert internal
    A start that takes longer than this ends the process.
controller.socket.timeout.ms int 30000 medium inert
    How long to wait for an answer of the controller.
controller.performance.sample.period.ms long 60000 >=100 medium inert internal
    How often the controller's own timings are summed up in the log.
controller.performance.always.log.threshold.ms long 2000 >=0 medium inert internal
    A controller event slower than this is always logged.
unstable.api.versions.enable boolean false high internal
    Whether API versions that are still in development are offered.
unstable.feature.versions.enable boolean false high inert internal
    Whether feature levels that are still in development may be used.

# Topics and placement
num.partitions int 1 >=1 medium
    Partitions of a topic that is created without saying how many.
default.replication.factor int 1 medium
    Replicas of a topic that is created without saying how many.
min.insync.replicas int 1 >=1 high cluster-wide
    How many replicas must have a record before acks=all is answered.
auto.create.topics.enable boolean true high
    Whether a topic that a client asks for is created if it is missing.
delete.topic.enable boolean true high
    Whether topics can be deleted.
create.topic.policy.class.name class null low inert
    A Java class that judges topic creations; can't be loaded here.
alter.config.policy.class.name class null low inert
    A Java class that judges changes of configs; can't be loaded here.

# Leaders
auto.leader.rebalance.enable boolean true high
    Whether leadership moves back to the preferred replica by itself.
leader.imbalance.check.interval.seconds long 300 >=1 high
    How often leaderships are looked over for what should move back.
unclean.leader.election.enable boolean false high cluster-wide
    Whether a replica that is not in sync may lead when no other is left; records can be lost.
unclean.leader.election.interval.ms long 300000 >=1 medium inert internal
    How often partitions without a leader are looked over for an unclean election.
"""
