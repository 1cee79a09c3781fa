"""Groups of consumers and their committed offsets: pure state machines.

`shard` is the state of one partition of `__consumer_offsets`; `classic` and `consumer` are the two group protocols,
`offsets` is what groups commit, `group` is what both kinds of groups have in common.
"""
