"""Records: group coordinator."""
