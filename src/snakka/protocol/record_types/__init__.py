"""Generated: one package an area, one module a record."""
