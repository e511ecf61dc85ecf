"""Moves topics, committed offsets and access rules from Apache Kafka to Rollcall
(docs/migration.md)."""
