"""Kafka's record types, by area."""
