"""Metrics: one declaration each; plain integers on the hot path, names and labels at the edge."""
