"""Client quotas, as in Apache Kafka: who has which, and the pause of a client that exceeds a
rate."""
