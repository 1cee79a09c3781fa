"""Wiring: assembly, lifecycle, dispatch, and one file for each Kafka API."""
