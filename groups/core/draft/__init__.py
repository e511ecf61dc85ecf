"""Groups of the 0.9 draft, the consumer rewrite design before JoinGroup got its present form."""
