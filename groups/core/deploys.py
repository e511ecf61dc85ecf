"""Deploys, recognised in members' lives: most members of a group replaced within minutes. Pure.

A member is replaced if it left, or came back under the same instance id, and another one joined
near that time which no other departure explains. Expired and evicted members, and those that come
or go without a counterpart, do not count: crashes and scaling are no deploys.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from groups.core.facts import Departure

Millis = int

REPLACED: Final = frozenset({Departure.LEFT.value, Departure.REPLACED.value})
"""How the life of a member ends that is stopped on purpose."""

WITHIN_MS: Final = 600_000
"""A pause of so long between two replacements ends a deploy."""

BACK_MS: Final = 120_000
"""The successor of a member joins at most so long after it left, or before (it is started
first)."""

MEMBERS_MIN: Final = 3
"""In a smaller group a restart of one or two members is no evidence."""

MOST: Final = 0.5
"""More than this part of the group's members is replaced."""


class Life(NamedTuple):
    """What is looked at in a life. Times are milliseconds since any moment; ``left_at`` None: it
    goes on."""

    joined_at: Millis
    left_at: Millis | None
    departure: str | None
    client_id: str
    software: str


class Replacement(NamedTuple):
    """A member and its successor."""

    at: Millis
    left: Life
    came: Life


class Deploy(NamedTuple):
    """``replaced`` of ``members``; ``changed``: successors with other software or another client
    id, which supports it."""

    started_at: Millis
    ended_at: Millis
    replaced: int
    members: int
    changed: int


def deploys(lives: Iterable[Life]) -> list[Deploy]:
    """The deploys of one group, in order."""
    known = sorted(lives, key=lambda life: life.joined_at)
    found = (_deploy(part, known) for part in _parts(_replacements(known)))
    return [deploy for deploy in found if deploy is not None]


class _Newcomers:
    """Lives that may be successors, in order of joining, each claimed once."""

    def __init__(self, lives: Sequence[Life]) -> None:
        self._lives, self._at = lives, 0
        self._all: deque[int] = deque()
        self._of_client: dict[str, deque[int]] = defaultdict(deque)
        self._claimed: set[int] = set()

    def claim(self, left: Life, moment: Millis) -> Life | None:
        """The first that joined near this moment: of the same client id, if there is one."""
        while self._at < len(self._lives) and self._joined(self._at) <= moment + BACK_MS:
            self._all.append(self._at)
            self._of_client[self._lives[self._at].client_id].append(self._at)
            self._at += 1
        for waiting in (self._of_client[left.client_id], self._all):
            found = self._first(waiting, left, moment)
            if found is not None:
                self._claimed.add(found)
                return self._lives[found]
        return None

    def _first(self, waiting: deque[int], left: Life, moment: Millis) -> int | None:
        while waiting and (
            waiting[0] in self._claimed or self._joined(waiting[0]) < moment - BACK_MS
        ):
            waiting.popleft()
        free = (n for n in waiting if n not in self._claimed)
        return next((n for n in free if self._joined(n) > left.joined_at), None)

    def _joined(self, n: int) -> Millis:
        return self._lives[n].joined_at


def _replacements(lives: Sequence[Life]) -> list[Replacement]:
    """Each member that was stopped, with its successor."""
    newcomers, found = _Newcomers(lives), []
    gone = ((life.left_at, life) for life in lives if life.departure in REPLACED)
    ended = [(moment, life) for moment, life in gone if moment is not None]
    for moment, left in sorted(ended, key=lambda one: one[0]):
        came = newcomers.claim(left, moment)
        if came is not None:
            found.append(Replacement(moment, left, came))
    return found


def _parts(found: Sequence[Replacement]) -> Iterable[Sequence[Replacement]]:
    """Replacements that follow each other within minutes."""
    cuts = [n for n, (a, b) in enumerate(pairwise(found), 1) if b.at - a.at > WITHIN_MS]
    return (found[begin:end] for begin, end in pairwise([0, *cuts, len(found)]))


def _deploy(part: Sequence[Replacement], lives: Sequence[Life]) -> Deploy | None:
    if not part:
        return None
    first = min(min(one.at, one.came.joined_at) for one in part)
    last = max(max(one.at, one.came.joined_at) for one in part)
    members = sum(
        1 for life in lives if life.joined_at < first and (life.left_at or last + 1) >= first
    )
    old = sum(1 for one in part if one.left.joined_at < first)
    if members < MEMBERS_MIN or old <= MOST * members:
        return None
    changed = sum(
        (one.left.software, one.left.client_id) != (one.came.software, one.came.client_id)
        for one in part
    )
    return Deploy(first, last, old, members, changed)
