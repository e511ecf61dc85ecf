"""What clients may use of a node: memory, elements of a request, quotas."""
