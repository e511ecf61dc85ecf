"""Requests that show that a member is alive, in addition to the events of a group.

A node whose lease has expired, or that reloads a group's rows, decides nothing, but still receives
requests. ``Group.beat_of`` finds the member; ``CoordinatorRuntime.heard`` sets the beat. A request
counts if, decided by the same group, it would have set the member's beat, or would have told the
member of a rebalance of the draft, for which it now needs more time.
"""

from typing import NamedTuple

from groups.core.errors import ErrorCode
from groups.core.events import Event
from groups.core.group import Beat, HeartbeatView


class ClassicHeartbeat(NamedTuple):
    """Heartbeat (12), which is answered from the view and never becomes an event."""

    member_id: str
    instance_id: str | None
    generation_id: int


class CommandPoll(NamedTuple):
    """PollCommands (10001), the heartbeat of a commanded group."""

    member_id: str


Sign = Event | ClassicHeartbeat | CommandPoll

NO_GENERATION = -1
"""No group is ever in this generation."""


def beat_in(
    view: HeartbeatView, member_id: str, instance_id: str | None, generation_id: int | None
) -> Beat | None:
    """The beat that a request of the classic protocol sets, by the rules of its heartbeat.
    ``generation_id`` None: the request has none (JoinGroup)."""
    generation = NO_GENERATION if generation_id is None else generation_id
    code, beat = view.find(member_id, instance_id, generation)
    if generation_id is None and code is ErrorCode.ILLEGAL_GENERATION:
        return view.beats[member_id]
    return beat
