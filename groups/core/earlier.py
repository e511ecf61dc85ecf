"""What earlier owners of a slot left about time: how long members were silent, and since when the
group waits for something (docs/architecture.md, *Silence across owners*).

Silence counts while the slot is served, whoever serves it. Its service time is the sum of all
owners' clocks, so no outage and no other clock is in it; ``shift`` converts it to this node's
clock. What is noted in rows is in service time, and a load does not change it.

At an interruption members may need more time: to find the coordinator again, or since they may have
been heard after the last note. Each silence gets each of these extensions once, at the first
interruption in it; otherwise repeated faults would keep dead members alive.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import Final, NamedTuple

from groups.core.group import Beat, Millis, Silence
from groups.core.rows import MemberRow

RETRY_MS: Final = 3_000
"""What a member has left at least after any interruption: its request may have been refused in it,
and clients try again only after a pause."""

KEPT_MS: Final = 2_400_000
"""How long interruptions are kept: longer than the longest session and the longest grace."""

KEPT_MAX: Final = 500
"""How many interruptions of a slot are kept: its row is read at each load."""


class Interruption(NamedTuple):
    """The end of an owner's service, at this service time.

    ``grace_ms``: the time to reconnect, after an outage longer than a lease; else 0. ``is_noted``:
    all members' last heartbeats had been written. Otherwise each may have been heard until then,
    and has its whole timeout from there.
    """

    at: Millis
    grace_ms: Millis
    is_noted: bool


class Noted(NamedTuple):
    """A member's row: how long ago it was heard, and since when its silence counts, in service
    time (None: a node of an older version wrote the row)."""

    age_ms: Millis
    since: Millis | None


@dataclass(frozen=True, slots=True)
class Service:
    """A slot's service time at a load: ``shift`` is the difference to this node's clock;
    ``interruptions`` in order, the last one ends with this load."""

    shift: Millis
    interruptions: tuple[Interruption, ...]

    @property
    def end(self) -> Millis:
        """When the last owner's service ended."""
        return self.interruptions[-1].at

    def since(self, noted: Millis | None) -> Millis:
        """Since when it counts. What has no note, or one from before a jump of the service time
        (``groups.store.sql.slots.UNKNOWN_MS``), was as it should be until the end."""
        if noted is None or noted < self.end - KEPT_MS:
            return self.end
        return min(self.end, noted)

    def start(self, since: Millis, timeout_ms: Millis) -> Millis:
        """The start of a silence or a wait on this node's clock, later by its extensions: together
        by no more than the longest of them.

        Whatever was not over by an interruption without notes, although its time was, goes on from
        there: its owner, which would have ended it, had heard of it after the last note.
        """
        start, longest_ms = since, 0
        for each, left_ms in _extensions(self.interruptions, since, timeout_ms):
            if not each.is_noted and each.at >= start + timeout_ms:
                start = since = each.at
            longest_ms = max(longest_ms, left_ms)
            start = max(start, min(each.at + left_ms - timeout_ms, since + longest_ms))
        return start - self.shift


def _extensions(
    interruptions: tuple[Interruption, ...], since: Millis, timeout_ms: Millis
) -> list[tuple[Interruption, Millis]]:
    """In order, the first interruption of each sort in this silence, and what was left after it;
    also the last one, if it is without notes."""
    within = interruptions[bisect_left(interruptions, (since,)) :]
    if not within:
        return []
    found = [(within[0], min(RETRY_MS, timeout_ms))]
    found += islice(((each, each.grace_ms) for each in within if each.grace_ms), 1)
    found += islice(((each, timeout_ms) for each in within if not each.is_noted), 1)
    if not within[-1].is_noted:
        found.append((within[-1], 0))
    return sorted(found)


def interrupted(before: Iterable[Interruption], now: Interruption) -> tuple[Interruption, ...]:
    """The interruptions with another one; one at the same time is the same, which a failed load
    made longer."""
    kept = [each for each in before if now.at - KEPT_MS <= each.at <= now.at]
    if kept and kept[-1].at == now.at:
        last = kept.pop()
        grace_ms = max(last.grace_ms, now.grace_ms)
        now = Interruption(now.at, grace_ms, last.is_noted and now.is_noted)
    return (*kept[1 - KEPT_MAX :], now)


@dataclass(frozen=True, slots=True)
class Earlier:
    """What earlier owners left about one group: its members' silences, and the starts of its waits
    in service time (``Group.waits``)."""

    service: Service
    silences: Mapping[str, Noted]
    waits: Mapping[str, Millis]

    def beat(self, member_id: str, timeout_ms: Millis, now: Millis) -> Beat:
        """The beat of a member that this node has not heard. Without a row it was heard until the
        end."""
        service, noted = self.service, self.silences.get(member_id)
        since = service.since(None if noted is None else noted.since)
        at = service.start(since, timeout_ms)
        heard_at = since - service.shift if noted is None else now - noted.age_ms
        return Beat(at, Silence(heard_at, since - service.shift, at))

    def wait(self, key: str, timeout_ms: Millis, now: Millis) -> Millis:
        """The start of this wait on this node's clock; ``now`` if no owner has noted it."""
        noted, service = self.waits.get(key), self.service
        if noted is None or noted < service.end - KEPT_MS:
            return now
        return service.start(noted, timeout_ms)


def beats_of(
    rows: Mapping[str, MemberRow], now: Millis, earlier: Earlier | None
) -> Iterator[tuple[str, Beat]]:
    """The beats of members that a new owner has not heard; whole sessions if nothing is known."""
    for member_id, row in rows.items():
        if earlier is None:
            yield member_id, Beat(now)
        else:
            yield member_id, earlier.beat(member_id, row.session_timeout_ms, now)


def floor_of(beats: Mapping[str, Beat], now: Millis) -> Millis:
    """The time before which no silence began."""
    return min((now, *(beat.at for beat in beats.values())))


NOTHING_NOTED: Final[Mapping[str, Noted]] = MappingProxyType({})
NO_WAITS: Final[Mapping[str, Millis]] = MappingProxyType({})
