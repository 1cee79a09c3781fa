"""Decisions about logs as pure functions: facts in, a choice out. No clock, no files, no event loop."""
