"""The format `snakka-log`: the segments of a data directory as DataFrames, read by executors without a broker.

Rule: the directory is only read, and may be that of a running broker. The log files are the truth; indexes, snapshots and
checkpoints beside them only save time, and what they say is checked against the log before it is used.
"""
