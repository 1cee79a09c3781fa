"""Coordinators: groups, transactions, and whatever else keeps its state in an internal topic.

`decision`, `deadlines`, `groups` and `transactions` are pure; `runtime` is the edge that appends, replays and answers.
"""
