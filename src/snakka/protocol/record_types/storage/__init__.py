"""Record types of storage."""
