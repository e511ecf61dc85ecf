"""Confluent's REST API for Kafka, version 3, as far as it reads consumer groups (``/kafka/v3``).

For tools that know those nine paths and no others. What Rollcall knows beyond them is under
``/api/v1``.
"""
