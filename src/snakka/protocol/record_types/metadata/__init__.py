"""Record types of metadata."""
