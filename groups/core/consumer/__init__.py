"""The consumer protocol's group (KIP-848): the coordinator assigns, members reconcile."""
