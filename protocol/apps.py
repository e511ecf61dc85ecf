"""The Django application that speaks the wire; it has no models."""

from django.apps import AppConfig


class ProtocolConfig(AppConfig):
    """The Kafka listener and its handlers."""

    name = "protocol"
