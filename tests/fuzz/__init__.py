"""Malformed bytes on purpose: `make fuzz`, or `python -m tests.fuzz --seconds 60 --frames 1000000 --seed 1`."""
