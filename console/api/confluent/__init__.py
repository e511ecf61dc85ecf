"""Confluent's REST API for Kafka, version 3: its reads of consumer groups (``/kafka/v3``).

For tools that know only these nine paths. Everything else is under ``/api/v1``.
"""
