"""Findings of the attention rules, and their texts. Values only."""

from datetime import datetime
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


class Fired(NamedTuple):
    """One finding. ``key``: its group or operation. ``subject``: for which it can be acknowledged,
    None: the number of further findings; ``acknowledged``: by whom."""

    rule: str
    tone: str
    sentence: str
    detail: str
    place: Place
    key: str = ""
    subject: str | None = None
    acknowledged: Acknowledgement | None = None


class FiredRow(NamedTuple):
    """One row of the statement; ``total``: the number of rows of its rule."""

    rule: str
    group_id: str
    detail: str
    n: int
    at: datetime
    total: int
