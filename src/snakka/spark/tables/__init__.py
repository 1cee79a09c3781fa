"""Lake tables as sinks: Delta by `deltalake`, Iceberg by `pyiceberg`, with exactly-once commits and maintenance.

Rule: executors only write files, under names that nobody else has; a row is in the table from the driver's one table
commit on, which carries the query and the batch, so that a batch is in the table once however often it is tried.
"""
