"""Controller decisions: pure functions of the image and a request that return records and a response.

Nothing here changes the image; only replaying the records does. Time and chance come in as arguments.
"""
