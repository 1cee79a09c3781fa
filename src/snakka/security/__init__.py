"""Principals and authorisation."""
