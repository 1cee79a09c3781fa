"""What the cluster is: image, controller decisions, publication."""
