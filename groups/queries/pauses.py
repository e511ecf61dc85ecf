"""What operators and automation read of pauses: what is stopped, and who obeys.

Reads only, two statements for a group. What an order means is told by ``groups.core.pauses``.
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
"""How a member stands to its orders. A deaf one asks for none: no client but Rollcall's own
does."""


@dataclass(frozen=True, slots=True)
class Work:
    """How the work of one group stands.

    ``pauses`` are what operators have stopped, the whole group first. ``members`` has the word for
    each member by its id, ``listens`` whether it takes orders at all.
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
        """Whether anything is."""
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
        """Members that are to stop, and take no orders."""
        return self._count(DEAF)

    @property
    def starting(self) -> int:
        """Members that may work again and have not received that yet."""
        return self._count(STARTING)

    def _count(self, *words: str) -> int:
        found = Counter(self.members.values())
        return sum(found[word] for word in words)


def work_of(group_id: str, members: Iterable[tuple[str, str | None]]) -> Work:
    """How the work of a group stands whose members have these ids and instance ids."""
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
    return Work(pauses, words, {member_id: member_id in obeying for member_id in words})


def _word(order: int, obeying: int | None) -> str:
    """How a member stands that is to obey this pause, and obeys that one (None: is deaf)."""
    if order == RUNNING:
        return STARTING if obeying else WORKING
    if obeying is None:
        return DEAF
    return STOPPED if obeying == order else STOPPING
