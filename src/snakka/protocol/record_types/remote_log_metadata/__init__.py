"""Records: remote log metadata."""
