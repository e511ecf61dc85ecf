"""The protocols that a member can speak: a table from name to machine.

``draft`` (the 0.9 draft) and ``commanded`` (the 2012 draft) are systems that Rollcall knows and
that this library does not speak yet; a machine of the shape ``core.words.Machine`` and a line in
this table is all that they need.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Final

from rollcall.client.assignors import ASSIGNORS, Assignor
from rollcall.client.core.classic import ClassicMachine
from rollcall.client.core.consumer import ConsumerMachine
from rollcall.client.core.words import Identity, Machine
from rollcall.client.errors import UnknownProtocol

Named = str | Assignor
Assignors = Named | Sequence[Named] | None
Maker = Callable[[Identity, Sequence[Named], Random], Machine]


def _consumer(identity: Identity, assignors: Sequence[Named], rng: Random) -> Machine:
    if not all(isinstance(each, str) for each in assignors) or len(assignors) > 1:
        raise ValueError("the consumer protocol takes the name of one of the server's assignors")
    return ConsumerMachine(identity, rng)


def _classic(identity: Identity, assignors: Sequence[Named], rng: Random) -> Machine:
    chosen = []
    for each in assignors or ("range",):
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
    return (assignor,) if isinstance(assignor, str | Assignor) else tuple(assignor)


def machine(protocol: str, identity: Identity, assignors: Sequence[Named], rng: Random) -> Machine:
    """The machine for a protocol; ``UnknownProtocol`` says which there are."""
    make = PROTOCOLS.get(protocol)
    if make is None:
        spoken = ", ".join(name for name, each in PROTOCOLS.items() if each is not None)
        why = "is not spoken by this library yet" if protocol in PROTOCOLS else "is unknown"
        raise UnknownProtocol(f"protocol {protocol!r} {why}; it speaks {spoken}")
    return make(identity, assignors, rng)
