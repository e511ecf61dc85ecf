"""What groups of other kinds answer to consumers of the 0.9 draft. They know nobody of it."""

from typing import Any

from groups.core.errors import ErrorCode, Refuse
from groups.core.events import DraftHeartbeat, DraftJoin, TopicsChanged


def draft_join(work: Any, event: DraftJoin) -> None:
    """The group has another protocol, and members of it, or is about to have."""
    raise Refuse(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)


def draft_heartbeat(work: Any, event: DraftHeartbeat) -> None:
    """No consumer of the draft can be one of its members."""
    raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)


def topics_changed(work: Any, event: TopicsChanged) -> None:
    """It stopped to be a draft group while the news was on its way."""
