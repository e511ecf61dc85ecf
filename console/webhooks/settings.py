"""The settings of webhooks, from Django's under the same names in upper case."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Self

from django.conf import settings


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookSettings:
    """Allowed targets, retry times, and retention."""

    webhooks_networks_allow: str
    webhooks_timeout_ms: int
    webhooks_retry_hours: int
    webhooks_disable_days: int
    webhooks_deliveries_max: int
    webhooks_deliveries_retention_hours: int
    webhooks_max: int

    @classmethod
    def from_django(cls) -> Self:
        """Read them; a missing setting is a programming error and raises."""
        return cls(**{f.name: getattr(settings, f.name.upper()) for f in fields(cls)})

    @property
    def networks(self) -> Sequence[str]:
        """Networks that are not public, but allowed."""
        return [part.strip() for part in self.webhooks_networks_allow.split(",") if part.strip()]
