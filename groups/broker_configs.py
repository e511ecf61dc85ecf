"""A node's settings as admin clients see them, read from Django's settings."""

from collections.abc import Mapping

from django.conf import settings

from groups.core.configs.entries import BrokerConfig, ConfigType


def from_django() -> Mapping[str, BrokerConfig]:
    """Every setting with a Kafka-like name, by name."""
    return {
        name: BrokerConfig(name, ConfigType[kind], value, default, meaning)
        for name, kind, value, default, meaning in settings.BROKER_CONFIGS
    }
