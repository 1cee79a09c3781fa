"""What derives from declarations is written by these modules: `python -m tools.generate`."""
