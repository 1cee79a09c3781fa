"""Record types of remote_log_metadata."""
