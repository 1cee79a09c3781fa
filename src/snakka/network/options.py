"""Options of listeners, sockets and connections.

Rule: only declarations, in the notation of `snakka.options.option.declare`; code elsewhere gives them effect.
"""

OPTIONS = """
# Listeners
listeners list PLAINTEXT://:9092 + high per-broker
    Where this node listens, as NAME://HOST:PORT entries; an empty host binds all interfaces.
advertised.listeners list null + high
    The addresses that clients and other nodes are told to use; set it when the bound address can't be
    reached from outside.
listener.security.protocol.map string \
    SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT low per-broker
    Which security protocol each listener name speaks, as NAME:PROTOCOL pairs; every listener needs an
    entry.
controller.listener.names list required + high
    The listener names that carry controller traffic; they are never told to clients.
inter.broker.listener.name string null medium
    The listener that brokers use among themselves; set this or security.inter.broker.protocol, not both.
security.inter.broker.protocol string PLAINTEXT {PLAINTEXT,SSL,SASL_PLAINTEXT,SASL_SSL} medium
    The security protocol between brokers; names the listener when inter.broker.listener.name is not set.
early.start.listeners list null high inert
    Listeners that open before authorization is ready; by default those of the controller.

# Sockets
socket.send.buffer.bytes int 102400 high
    Kernel send buffer of each connection; -1 leaves it to the system.
socket.receive.buffer.bytes int 102400 high
    Kernel receive buffer of each connection; -1 leaves it to the system.
socket.request.max.bytes int 104857600 >=1 high
    The largest request frame that is read; a larger one closes its connection.
socket.listen.backlog.size int 50 >=1 medium
    How many connections the kernel may queue before they are accepted; Snakka lets it queue at least 1024.
socket.connection.setup.timeout.ms long 10000 medium inert
    How long to wait for an outgoing connection; doubles with each failure in a row.
socket.connection.setup.timeout.max.ms long 30000 medium inert
    The most that the wait for an outgoing connection grows to.

# Connections
max.connections int 2147483647 >=0 medium cluster-wide
    Connections that the broker holds at once; a listener may have its own limit by prefix.
max.connections.per.ip int 2147483647 >=0 medium cluster-wide
    Connections from one address; 0 refuses all that max.connections.per.ip.overrides does not list.
max.connections.per.ip.overrides string '' @host-counts medium cluster-wide
    Limits for single hosts, as HOST:COUNT entries separated by commas.
max.connection.creation.rate int 2147483647 >=0 medium cluster-wide inert
    New connections accepted a second; a listener may have its own limit by prefix.
connections.max.idle.ms long 600000 medium
    A connection without traffic for this long is closed; negative keeps it open.
connection.failed.authentication.delay.ms int 100 >=0 low inert
    How long a failed login is kept waiting, against password guessing; must be below
    connections.max.idle.ms.
queued.max.requests int 500 >=1 high inert
    Requests that may wait before reading from the network pauses.
queued.max.request.bytes long -1 medium
    Bytes of requests that may wait before reading pauses; -1 sets no limit.
num.network.threads int 3 >=1 high cluster-wide inert
    Threads that serve the network in Apache Kafka; Snakka has one event loop.
"""
