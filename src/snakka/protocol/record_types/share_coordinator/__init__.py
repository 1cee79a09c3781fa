"""Records: share coordinator."""
