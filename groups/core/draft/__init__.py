"""Groups of the 0.9 draft, the consumer rewrite design before JoinGroup had its present form."""
