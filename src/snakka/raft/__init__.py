"""The metadata quorum: one replicated log."""
