"""The protocols that a member can speak: a table from name to machine.

``draft`` (the 0.9 draft) and ``commanded`` (the 2012 draft) are systems that Rollcall knows and
that this library does not speak yet; a machine of the shape ``core.words.Machine`` and a line in
this table is all that they need.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Final

from rollcall.client.assignors import ASSIGNORS, Assignor
from rollcall.client.assignors.own import ClientAssignor, check_size, client_assignor
from rollcall.client.core.assigning import said
from rollcall.client.core.classic import ClassicMachine
from rollcall.client.core.consumer import ConsumerMachine
from rollcall.client.core.words import Identity, Machine
from rollcall.client.errors import UnknownProtocol

Named = str | Assignor | ClientAssignor
Assignors = Any
"""One assignor, several in order of preference, or None: names, ``Assignor`` (classic protocol),
and whatever ``client_assignor`` takes (consumer protocol)."""

Maker = Callable[[Identity, Sequence[Named], Random], Machine]


def _consumer(identity: Identity, assignors: Sequence[Named], rng: Random) -> Machine:
    names = [each for each in assignors if isinstance(each, str)]
    check_size(own_of(assignors))
    own = [said(each) for each in own_of(assignors)]
    if len(names) > 1 or len(names) + len(own) < len(assignors):
        raise ValueError(
            "the consumer protocol takes the name of one of the server's assignors, and functions"
            " of the group's view"
        )
    return ConsumerMachine(identity, rng, own)


def _classic(identity: Identity, assignors: Sequence[Named], rng: Random) -> Machine:
    chosen = []
    for each in assignors or ("range",):
        if isinstance(each, ClientAssignor):
            raise ValueError(f"{each.name} is none of the classic protocol's: see Assignor")
        if isinstance(each, str) and each not in ASSIGNORS:
            raise ValueError(f"no assignor {each!r}; there are {', '.join(ASSIGNORS)}")
        chosen.append(ASSIGNORS[each] if isinstance(each, str) else each)
    return ClassicMachine(identity, chosen, rng)


PROTOCOLS: Final[Mapping[str, Maker | None]] = {
    "consumer": _consumer,
    "classic": _classic,
    "draft": None,
    "commanded": None,
}
"""None: known, and not spoken yet."""


def listed(assignor: Assignors) -> tuple[Named, ...]:
    """One assignor, several in order of preference, or none."""
    if assignor is None:
        return ()
    is_one = isinstance(assignor, str) or not isinstance(assignor, Sequence)
    several = (assignor,) if is_one else tuple(assignor)
    ready = (str, Assignor)
    return tuple(each if isinstance(each, ready) else client_assignor(each) for each in several)


def own_of(assignors: Sequence[Named]) -> tuple[ClientAssignor, ...]:
    """Those that this member can run for a whole group of the consumer protocol."""
    return tuple(each for each in assignors if isinstance(each, ClientAssignor))


def machine(protocol: str, identity: Identity, assignors: Sequence[Named], rng: Random) -> Machine:
    """The machine for a protocol; ``UnknownProtocol`` says which there are."""
    make = PROTOCOLS.get(protocol)
    if make is None:
        spoken = ", ".join(name for name, each in PROTOCOLS.items() if each is not None)
        why = "is not spoken by this library yet" if protocol in PROTOCOLS else "is unknown"
        raise UnknownProtocol(f"protocol {protocol!r} {why}; it speaks {spoken}")
    return make(identity, assignors, rng)
