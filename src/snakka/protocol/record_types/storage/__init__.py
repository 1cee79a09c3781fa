"""Records: storage."""
