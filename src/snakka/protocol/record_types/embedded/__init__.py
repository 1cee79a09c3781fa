"""Records: embedded."""
