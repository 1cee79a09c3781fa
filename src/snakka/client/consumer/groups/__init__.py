"""Groups: members that share the partitions of topics, by the classic protocol and by KIP-848's."""
