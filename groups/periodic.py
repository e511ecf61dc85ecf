"""The settings of periodic work, from Django's under the same names in upper case."""

from dataclasses import dataclass, fields
from typing import Self

from django.conf import settings


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodicSettings:
    """Retention times and intervals. Kafka's names where it has one."""

    node_lease_ms: int
    offsets_retention_minutes: int
    offsets_retention_check_interval_ms: int
    offsets_history_retention_hours: int
    group_configs_retention_hours: int
    operations_retention_hours: int
    journal_retention_hours: int
    facts_retention_hours: int
    facts_max_mebibytes: int
    node_drain_retention_hours: int
    node_retention_hours: int
    transactional_id_expiration_ms: int

    @classmethod
    def from_django(cls) -> Self:
        """Read them; a missing setting is a programming error and raises."""
        return cls(**{f.name: getattr(settings, f.name.upper()) for f in fields(cls)})


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisSettings:
    """When the pipeline runs by itself (an hour of UTC, or -1), and for how long at most."""

    analysis_hour: int
    analysis_max_minutes: int

    @classmethod
    def from_django(cls) -> Self:
        """Read them; a missing setting is a programming error and raises."""
        return cls(**{f.name: getattr(settings, f.name.upper()) for f in fields(cls)})
