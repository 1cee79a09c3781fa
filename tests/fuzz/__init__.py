"""Malformed bytes on purpose: `make fuzz`, or `python -m tests.fuzz --seconds 60 --seed 1`."""
