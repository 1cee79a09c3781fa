"""Records: transaction coordinator."""
