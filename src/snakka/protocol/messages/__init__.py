"""Kafka's requests and responses, one module an API, imported on first use."""
