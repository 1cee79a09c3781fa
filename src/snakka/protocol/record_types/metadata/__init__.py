"""Records: metadata."""
