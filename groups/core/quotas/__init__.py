"""Client quotas, as Apache Kafka has them: who has which, and what a rate costs who goes beyond."""
