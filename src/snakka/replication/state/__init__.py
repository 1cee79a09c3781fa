"""Pure state of replication and fetching: no clock, no files, no sockets."""
