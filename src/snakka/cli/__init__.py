"""The snakka command."""
