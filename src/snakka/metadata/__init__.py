"""What the cluster is: `image` is the state, `state` decides how it changes, the rest moves both along the metadata log."""
