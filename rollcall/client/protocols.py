"""The protocols of a member: a table from name to machine, dialect and default times."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from rollcall.client import checks
from rollcall.client.assignors import ASSIGNORS, Assignor
from rollcall.client.assignors.own import ClientAssignor, check_size, client_assignor
from rollcall.client.core.assigning import wire_assignor
from rollcall.client.core.classic import ClassicMachine
from rollcall.client.core.commanded import CommandedMachine
from rollcall.client.core.consumer import ConsumerMachine
from rollcall.client.core.draft import DraftMachine
from rollcall.client.core.events import Identity, Machine, Subscription
from rollcall.client.dialects import Dialect
from rollcall.client.dialects.draft import DRAFT
from rollcall.client.dialects.kafka import KAFKA
from rollcall.client.errors import UnknownProtocol
from rollcall.client.security import Security

Named = str | Assignor | ClientAssignor
Assignors = Any
"""One assignor, several in order of preference, or None: names, ``Assignor`` (classic protocol),
and the types that ``client_assignor`` takes (consumer protocol)."""

Maker = Callable[[Identity, Sequence[Named], Random], Machine]

BEATS_LEAST: Final = 2
"""With one heartbeat in a session, a member of the draft would be silent for a whole one."""


def _no_threads(wanted: Subscription) -> str | None:
    plain = Subscription(wanted.topics, wanted.pattern)
    if wanted != plain:
        return "only commanded groups have threads and blacklists"
    return None if wanted else "neither topics nor a pattern to subscribe to"


def _matched_here(wanted: Subscription) -> str | None:
    return _no_threads(wanted) or checks.own_pattern(wanted)


@dataclass(frozen=True, slots=True)
class Spoken:
    """One protocol. ``defaults`` are times of ``Identity`` that differ here. ``fault`` returns the
    error in a subscription, if any."""

    make: Maker
    fault: Callable[[Subscription], str | None] = _no_threads
    dialect: Dialect = KAFKA
    defaults: Mapping[str, int] = field(default_factory=dict)


def _consumer(identity: Identity, assignors: Sequence[Named], rng: Random) -> Machine:
    names = [each for each in assignors if isinstance(each, str)]
    check_size(own_of(assignors))
    own = [wire_assignor(each) for each in own_of(assignors)]
    if len(names) > 1 or len(names) + len(own) < len(assignors):
        raise ValueError(
            "the consumer protocol takes the name of one of the server's assignors, and functions"
            " of the group's view"
        )
    return ConsumerMachine(identity, rng, own)


def _classic(identity: Identity, assignors: Sequence[Named], rng: Random) -> Machine:
    shortest = min(identity.session_timeout_ms, identity.rebalance_timeout_ms)
    if identity.heartbeat_interval_ms >= shortest:
        raise ValueError(
            "heartbeat_interval_ms must be shorter than session_timeout_ms and rebalance_timeout_ms"
        )
    chosen = []
    for each in assignors or ("range",):
        if isinstance(each, ClientAssignor):
            raise ValueError(f"{each.name} is none of the classic protocol's: see Assignor")
        if isinstance(each, str) and each not in ASSIGNORS:
            raise ValueError(f"no assignor {each!r}; there are {', '.join(ASSIGNORS)}")
        chosen.append(ASSIGNORS[each] if isinstance(each, str) else each)
    return ClassicMachine(identity, chosen, rng)


def _draft(identity: Identity, assignors: Sequence[Named], rng: Random) -> Machine:
    strategy, *more = assignors or ("range",)
    if more or not isinstance(strategy, str):
        raise ValueError("the draft takes the name of one of the coordinator's strategies")
    if identity.instance_id is not None:
        raise ValueError("the draft has no static members")
    if identity.heartbeat_frequency < BEATS_LEAST:
        raise ValueError(f"heartbeat_frequency must be at least {BEATS_LEAST}")
    return DraftMachine(identity, strategy, rng)


def _commanded(identity: Identity, assignors: Sequence[Named], rng: Random) -> Machine:
    if assignors:
        raise ValueError("who works on what is the coordinator's affair in a commanded group")
    if identity.instance_id is not None:
        raise ValueError("commanded groups have no static members")
    return CommandedMachine(identity, rng)


def _one_way(wanted: Subscription) -> str | None:
    """Names, or one of the two filters."""
    ways = [bool(wanted.topics), wanted.pattern is not None, wanted.blacklist is not None]
    return None if sum(ways) == 1 else "either topics, or a pattern, or a blacklist"


PROTOCOLS: Final[Mapping[str, Spoken]] = {
    "consumer": Spoken(_consumer),
    "classic": Spoken(_classic, _matched_here),
    # The default of the draft coordinator's longest session.
    "draft": Spoken(_draft, _matched_here, DRAFT, {"session_timeout_ms": 30_000}),
    "commanded": Spoken(_commanded, _one_way),
}


def check_security(spoken: Spoken, wanted: Security) -> None:
    """Raise ``ValueError`` if the protocol has no authentication."""
    if wanted.sasl is not None and spoken.dialect is DRAFT:
        raise ValueError("the draft knows no SASL")


def listed(assignor: Assignors) -> tuple[Named, ...]:
    """One assignor, several in order of preference, or none."""
    if assignor is None:
        return ()
    is_one = isinstance(assignor, str) or not isinstance(assignor, Sequence)
    several = (assignor,) if is_one else tuple(assignor)
    ready = (str, Assignor)
    return tuple(each if isinstance(each, ready) else client_assignor(each) for each in several)


def own_of(assignors: Sequence[Named]) -> tuple[ClientAssignor, ...]:
    """Those with which this member can assign for a whole group of the consumer protocol."""
    return tuple(each for each in assignors if isinstance(each, ClientAssignor))


def of(protocol: str) -> Spoken:
    """The protocol of this name; raises ``UnknownProtocol`` with the known ones."""
    if protocol not in PROTOCOLS:
        known = ", ".join(PROTOCOLS)
        raise UnknownProtocol(f"protocol {protocol!r} is unknown; there are {known}")
    return PROTOCOLS[protocol]
