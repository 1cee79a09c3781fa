"""Record types of transaction_coordinator."""
