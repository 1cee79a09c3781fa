"""Record types of share_coordinator."""
