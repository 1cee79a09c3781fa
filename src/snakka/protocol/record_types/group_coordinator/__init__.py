"""Record types of group_coordinator."""
