"""Reading topics: what the driver decides, and what executors read.

Rule: the driver only asks for offsets, executors only read the ranges that they are given, and what can be decided without
either is pure.
"""
