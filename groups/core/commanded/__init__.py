"""Commanded groups, after Kafka's design of 2012 for a consumer coordinator."""
