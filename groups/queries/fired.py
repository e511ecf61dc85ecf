"""What the rules of what needs attention find, and what they say. Values only."""

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from groups.models import Acknowledgement


class Place(StrEnum):
    """What kind of page tells more."""

    GROUP = "group"
    GROUPS = "groups"
    NODES = "nodes"
    OPERATION = "operation"
    SCHEDULE = "schedule"


class Fired(NamedTuple):
    """One line of what needs attention. ``key``: which group or operation. ``subject``: what it can
    be acknowledged for, None: that many more are left out; ``acknowledged``: by whom it was."""

    rule: str
    tone: str
    sentence: str
    detail: str
    place: Place
    key: str = ""
    subject: str | None = None
    acknowledged: Acknowledgement | None = None


class Found(NamedTuple):
    """One row of the statement; ``total``: how many of its rule there are."""

    rule: str
    group_id: str
    detail: str
    n: int
    at: datetime
    total: int
