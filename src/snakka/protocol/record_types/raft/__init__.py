"""Record types of raft."""
