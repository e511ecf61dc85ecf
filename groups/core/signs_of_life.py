"""Requests by which a node learns that a member is alive, beside the events of a group.

A node whose lease is over, or that reads a group's rows again, decides nothing, but it knows who
asked. ``Group.beat_of`` finds the member; ``CoordinatorRuntime.heard`` notes it. A request counts
there if, decided by the same group, it would have raised the member's beat.
"""

from typing import NamedTuple

from groups.core.errors import ErrorCode
from groups.core.events import Event
from groups.core.group import Beat, HeartbeatView


class ClassicHeartbeat(NamedTuple):
    """Heartbeat (12), which is answered from the view and is never an event."""

    member_id: str
    instance_id: str | None
    generation_id: int


class CommandPoll(NamedTuple):
    """PollCommands (10001), the heartbeat of a commanded group."""

    member_id: str


Sign = Event | ClassicHeartbeat | CommandPoll

NO_GENERATION = -1
"""No group is ever in it."""


def beat_in(
    view: HeartbeatView, member_id: str, instance_id: str | None, generation_id: int | None
) -> Beat | None:
    """The beat that a request of the classic protocol raises, by the rules of its heartbeat.
    ``generation_id`` None: the request names none (JoinGroup)."""
    asked = NO_GENERATION if generation_id is None else generation_id
    code, beat = view.find(member_id, instance_id, asked)
    if generation_id is None and code is ErrorCode.ILLEGAL_GENERATION:
        return view.beats[member_id]
    return beat
