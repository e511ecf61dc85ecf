"""One's own assignor in the consumer protocol: a name, and a pure function of the group.

Values only. When a member is asked to run it, and what happens to the result, is not decided here.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from rollcall.client.core.events import Partitions, TopicPartition

Racks = Mapping[str, Sequence[frozenset[str]]]
"""By topic: for each partition the racks near to it. May be shorter, or missing."""


@dataclass(frozen=True, slots=True)
class ViewMember:
    """A member of the group. ``owned``: its last target, even if it has not reached it yet.
    ``version`` and ``metadata``: its data for the assignor; -1: it does not have the assignor (a
    stock client, for instance), and gets its share like all others."""

    member_id: str
    instance_id: str | None
    rack: str | None
    topics: frozenset[str]
    owned: Partitions
    version: int = -1
    metadata: bytes = b""


@dataclass(frozen=True, slots=True)
class View:
    """The group at one epoch, as the coordinator sees it. ``counts``: the partition counts of all
    subscribed topics that exist. Members are sorted by id."""

    epoch: int
    assignor: str
    members: Sequence[ViewMember]
    counts: Mapping[str, int]
    racks: Racks


Shares = Mapping[str, Iterable[TopicPartition | tuple[str, int]]]
"""By member id. A missing member gets nothing; a missing partition has no owner."""


@dataclass(frozen=True, slots=True)
class ClientAssignor:
    """``assign`` runs in a thread of its own, in the member that is asked. ``metadata`` is this
    member's data for the assignor, in the format of ``version``; it can read others' from
    ``minimum_version`` to ``maximum_version``. ``reason``: a number of one's own."""

    name: str
    assign: Callable[[View], Shares]
    version: int = 0
    minimum_version: int = 0
    maximum_version: int = 0
    metadata: bytes = b""
    reason: int = 0


ASSIGNORS_BYTES_MAX: Final = 16_000
"""Maximum size of a member's data for all its assignors: a tagged field has 16 KiB."""


def check_size(own: Sequence[ClientAssignor]) -> None:
    """Raise ``ValueError`` if it does not fit into a heartbeat."""
    size = sum(len(each.name.encode()) + len(each.metadata) + 16 for each in own)
    if size > ASSIGNORS_BYTES_MAX:
        raise ValueError(
            f"the assignors say {size} bytes; a heartbeat carries {ASSIGNORS_BYTES_MAX}"
        )


def client_assignor(own: Any) -> ClientAssignor:
    """The assignor from a program's argument: one of these, a function, or an object with ``name``
    and ``assign(view)``, or its class. ``ValueError`` for others."""
    if isinstance(own, ClientAssignor):
        return own
    if isinstance(own, type):
        own = own()
    if hasattr(own, "name") and callable(getattr(own, "assign", None)):
        names = [field.name for field in fields(ClientAssignor)]
        return ClientAssignor(**{n: getattr(own, n) for n in names if hasattr(own, n)})
    name = getattr(own, "__name__", "")
    if not callable(own) or not name.isidentifier():
        raise ValueError(f"{own!r} is no assignor: it needs a name, and assign(view)")
    return ClientAssignor(name, own)
