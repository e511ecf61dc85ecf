"""Groups that the coordinator commands: Kafka's design of 2012 for a consumer coordinator."""
