"""Partitions as this broker leads or follows them."""
