"""The thresholds of the attention rules: settings, from Django's under the same names in upper
case."""

from dataclasses import dataclass, fields
from typing import Self

from django.conf import settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Thresholds of the rules in ``console.queries.attention``; milliseconds, counts and a
    percentage. ``node_restart_backoff_max_ms`` is the highest that one of them doubles to."""

    attention_unsettled_ms: int
    attention_rebalances_per_hour: int
    attention_stopped_ms: int
    attention_drained_ms: int
    attention_silent_percent: int
    attention_commit_ms: int
    attention_notify_queue_percent: int
    node_restart_backoff_ms: int
    node_restart_backoff_max_ms: int

    @classmethod
    def from_django(cls) -> Self:
        """Read them."""
        return cls(**{f.name: getattr(settings, f.name.upper()) for f in fields(cls)})
