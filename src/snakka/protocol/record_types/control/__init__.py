"""Records: control."""
