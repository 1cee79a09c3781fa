"""`snakka demo`: a day of a shop, from events to a table and a topic, in one command.

Rule: everything shown is the product at work: a broker, a client, and a declared pipeline that anybody could have written.
The demo only makes the events up, and so it knows what must come out, and says whether it did.
"""
