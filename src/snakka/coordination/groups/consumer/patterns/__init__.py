"""Regular expressions over topic names (the subscriptions of KIP-848), in the syntax of RE2 as Kafka uses it.

Python's own would not do: they know other syntax, and some of them take ages over a short name. Here the time is bounded:
a name is read once, and an expression that would need too many states is refused.
"""
