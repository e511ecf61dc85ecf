"""Rollcall beside Apache Kafka: the same requests to both, every answer compared.

``python -m tests.differential`` (``make differential``) plays random scenarios against both and
writes what Kafka answered; ``test_recorded`` plays the recorded ones against Rollcall alone.
"""
