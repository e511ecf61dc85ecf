"""Read models of pauses: what is stopped, and which members have stopped.

Reads only, two statements for a group. ``groups.core.pauses`` interprets orders.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from groups.core.pauses import GROUP, RUNNING, Target, pause_for
from groups.core.pauses import Pause as Rule
from groups.models import Follower, Pause

WORKING: Final = "working"
STOPPING: Final = "stopping"
STOPPED: Final = "stopped"
STARTING: Final = "starting"
DEAF: Final = "not-supported"
"""States of a member. A deaf one does not poll for orders: only Rollcall's own client does."""


@dataclass(frozen=True, slots=True)
class WorkState:
    """The state of one group's work.

    ``pauses`` are the group's pauses, that of the whole group first. ``members`` has the state of
    each member by its id, ``listens`` whether it polls for orders.
    """

    pauses: Sequence[Pause]
    members: Mapping[str, str]
    listens: Mapping[str, bool]

    @property
    def of_group(self) -> Pause | None:
        """The pause of the whole group."""
        return next((pause for pause in self.pauses if pause.scope == GROUP), None)

    @property
    def is_stopped(self) -> bool:
        """Whether there is any pause."""
        return bool(self.pauses)

    @property
    def asked(self) -> int:
        """Members that must stop and support it."""
        return self._count(STOPPING, STOPPED)

    @property
    def obeyed(self) -> int:
        """Those of them that have stopped."""
        return self._count(STOPPED)

    @property
    def deaf(self) -> int:
        """Members that must stop but do not poll for orders."""
        return self._count(DEAF)

    @property
    def starting(self) -> int:
        """Members that may start again and have not received that order yet."""
        return self._count(STARTING)

    def _count(self, *words: str) -> int:
        counts = Counter(self.members.values())
        return sum(counts[word] for word in words)


def work_of(group_id: str, members: Iterable[tuple[str, str | None]]) -> WorkState:
    """The state of a group's work for members with these ids and instance ids."""
    pauses = list(Pause.objects.filter(group_id=group_id).order_by("scope", "name"))
    rules = {
        Target(p.scope, p.name): Rule(Target(p.scope, p.name), p.pause_id, p.actor, p.reason)
        for p in pauses
    }
    followers = Follower.objects.filter(group_id=group_id)
    obeying = dict(followers.values_list("member_id", "obeying"))
    words: dict[str, str] = {}
    for member_id, instance_id in members:
        pause = pause_for(rules, member_id, instance_id)
        order = RUNNING if pause is None else pause.pause_id
        words[member_id] = _word(order, obeying.get(member_id))
    return WorkState(pauses, words, {member_id: member_id in obeying for member_id in words})


def _word(order: int, obeying: int | None) -> str:
    """The state of a member that should obey this pause, and obeys that one (None: it is deaf)."""
    if order == RUNNING:
        return STARTING if obeying else WORKING
    if obeying is None:
        return DEAF
    return STOPPED if obeying == order else STOPPING
