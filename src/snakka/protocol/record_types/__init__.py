"""Kafka's record types, one folder an area, one module a record."""
