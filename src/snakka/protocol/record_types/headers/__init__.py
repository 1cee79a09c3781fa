"""Records: headers."""
