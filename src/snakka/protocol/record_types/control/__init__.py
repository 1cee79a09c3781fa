"""Record types of control."""
