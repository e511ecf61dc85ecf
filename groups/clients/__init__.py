"""Clients of the Kafka port: ACLs, quotas, users, and the audit of their logins."""
