"""Recorded lives as clients: when each ran, stalled, did not answer, and how it stopped.

A client may have several lives: it was removed while it only stalled, or restarted. The same client
has the same instance id, or else the same client id and address, and no two of its lives overlap.
"""

from bisect import bisect_right, insort
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Final

from groups.core.facts import Departure
from pipeline.what_if.recording import Life, Millis, Recording

Span = tuple[Millis, Millis]

NEVER: Final[Millis] = 1 << 62
"""Later than anything."""

REMOVED: Final = frozenset((Departure.EVICTED, Departure.EXPELLED, Departure.UNKNOWN))
"""Ends that somebody else decided: a replay removes the member at the same moment."""

DEAF: Final = frozenset((Departure.NOT_ACKNOWLEDGED, Departure.REFUSED))
"""Ends of members that sent heartbeats, and did not do what they were asked for."""


def span_at(spans: Sequence[Span], now: Millis) -> Span | None:
    """The first of these, which are in order and do not overlap, that is not over."""
    place = bisect_right(spans, now, key=lambda span: span[1])
    return spans[place] if place < len(spans) else None


class Stop(Enum):
    """How a process of a client ended; ``PAUSES``: it goes in order to come back under its instance
    id; ``RUNS``: not within the recording."""

    LEAVES = auto()
    DIES = auto()
    PAUSES = auto()
    RUNS = auto()


@dataclass(frozen=True, slots=True)
class Run:
    """A process of a client, from ``start`` to ``end``. In ``stalls`` it does nothing at all, in
    ``deaf`` it sends heartbeats only; at each of ``removals`` somebody removes its member."""

    start: Millis
    end: Millis
    stop: Stop
    stalls: tuple[Span, ...] = ()
    deaf: tuple[Span, ...] = ()
    removals: tuple[Millis, ...] = ()


@dataclass(frozen=True, slots=True)
class Client:
    """A client with its processes in order. ``ids``: when the member ids began that it had."""

    name: str
    life: Life
    runs: tuple[Run, ...]
    ids: tuple[tuple[Millis, str], ...] = ()

    @property
    def spans(self) -> Sequence[Span]:
        """When it ran."""
        return [(run.start, run.end) for run in self.runs]


def clients_of(recording: Recording) -> tuple[Sequence[Client], Mapping[int, str]]:
    """The clients, and the name of that of each life."""
    clients, owners = [], {}
    for chain in _chains(recording.lives):
        name = f"{chain[0].client_id}/{chain[0].life}"
        owners.update({life.life: name for life in chain})
        ids = tuple((life.joined, life.member_id) for life in chain)
        clients.append(Client(name, chain[-1], tuple(_runs(chain, recording.end)), ids))
    return clients, owners


def _chains(lives: Sequence[Life]) -> Iterator[list[Life]]:
    """The lives of each client, in order. Where several share a name, a new life is that of the one
    whose last life ended last before it."""
    chains: list[list[Life]] = []
    over: dict[tuple[str | None, ...], list[tuple[Millis, int]]] = {}  # by end, and the chain
    for life in sorted(lives, key=lambda one: (one.joined, one.life)):
        ended = over.setdefault(_same_client(life), [])
        place = bisect_right(ended, (life.joined, len(chains)))
        number = ended.pop(place - 1)[1] if place else len(chains)
        if number == len(chains):
            chains.append([])
        chains[number].append(life)
        if life.left is not None:
            insort(ended, (life.left, number))
    yield from chains


def _same_client(life: Life) -> tuple[str | None, ...]:
    return (life.instance_id,) if life.instance_id else (None, life.client_id, life.client_host)


def is_stall(life: Life, after: Life) -> bool:
    """Whether a life expired although its client lived: it was back within another session."""
    if life.departure != Departure.EXPIRED or life.left is None:
        return False
    return after.joined - life.left <= life.session_ms


def _runs(chain: Sequence[Life], end: Millis) -> Iterator[Run]:
    current: Run | None = None
    for number, life in enumerate(chain):
        after = chain[number + 1] if number + 1 < len(chain) else None
        run = current or Run(life.joined, end, Stop.RUNS)
        current = _goes_on(run, life, after) if life.left is not None else None
        if current is not None:
            continue
        yield run if life.left is None else _stopped(run, life)


def _goes_on(run: Run, life: Life, after: Life | None) -> Run | None:
    """The process after a life that it survived; None: it ended with it."""
    if after is None or life.left is None:
        return None
    if is_stall(life, after):
        return replace(run, stalls=(*run.stalls, (life.heard or life.left, after.joined)))
    back = (life.left, after.joined)
    if life.departure in REMOVED:
        return replace(run, removals=(*run.removals, life.left), deaf=(*run.deaf, back))
    if life.departure in DEAF:
        return replace(run, deaf=(*run.deaf, (_deaf_since(life), after.joined)))
    return None


def _deaf_since(life: Life) -> Millis:
    """A member that was removed for what it did not do had its rebalance timeout to do it."""
    assert life.left is not None
    return max(life.joined + 1, life.left - life.rebalance_ms - 1)


def _stopped(run: Run, life: Life) -> Run:
    assert life.left is not None
    if life.departure == Departure.LEFT:
        return replace(run, end=life.left, stop=Stop.LEAVES)
    if life.departure in DEAF:
        deaf = (*run.deaf, (_deaf_since(life), NEVER))
        return replace(run, end=life.left, stop=Stop.DIES, deaf=deaf)
    if life.departure in REMOVED:
        return replace(run, end=life.left, stop=Stop.DIES, removals=(*run.removals, life.left))
    stop = Stop.PAUSES if life.departure == Departure.REPLACED else Stop.DIES
    return replace(run, end=life.heard or life.left, stop=stop)
