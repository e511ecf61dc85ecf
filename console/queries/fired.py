"""Findings of the attention rules, and their texts. Values only."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from groups.models import Acknowledgement


class Place(StrEnum):
    """The kind of page with more details."""

    GROUP = "group"
    GROUPS = "groups"
    NODES = "nodes"
    OPERATION = "operation"
    SCHEDULE = "schedule"


class Remedy(StrEnum):
    """What ends most findings of a rule, as the page's one button offers it."""

    EVICT = "evict"
    THAW = "thaw"
    RESUME = "resume"
    UNDRAIN = "undrain"
    FORGET = "forget"
    WHY = "why"


class Fired(NamedTuple):
    """One finding. ``key``: its group or operation. ``subject``: for which it can be acknowledged,
    None: the number of further findings; ``acknowledged``: by whom. ``since``: when it began, None:
    unknown. ``still``: partitions that nobody works on meanwhile, None: unknown. ``remedy``: its
    button; ``member_id`` and ``name`` of the member whom that is about. ``advice``: what to do, and
    ``docs``: the page of the documentation that says more."""

    rule: str
    tone: str
    sentence: str
    detail: str
    place: Place
    key: str = ""
    subject: str | None = None
    acknowledged: Acknowledgement | None = None
    since: datetime | None = None
    still: int | None = None
    remedy: Remedy | None = None
    member_id: str = ""
    name: str = ""
    advice: str = ""
    docs: str = ""

    def cost_ms(self, now: datetime) -> int | None:
        """Partitions times milliseconds without work until now, at most: those that stand still may
        not have done so from the beginning. None: unknown."""
        if self.since is None or self.still is None:
            return None
        return max(0, round((now - self.since) / timedelta(milliseconds=1))) * self.still


class FiredRow(NamedTuple):
    """One row of the statement; ``total``: the number of rows of its rule. ``partitions`` and
    ``unowned``: of the group, as its owner counted them; None: it did not."""

    rule: str
    group_id: str
    detail: str
    n: int
    at: datetime
    total: int
    partitions: int | None = None
    unowned: int | None = None
