"""Record types of embedded."""
