"""Kafka's wire protocol: messages, record batches, error codes. Pure bytes in, values out."""
