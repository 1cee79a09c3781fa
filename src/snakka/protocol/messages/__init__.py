"""Generated: one module an API."""
