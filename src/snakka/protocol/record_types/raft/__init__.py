"""Records: raft."""
