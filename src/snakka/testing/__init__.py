"""Brokers inside tests."""
