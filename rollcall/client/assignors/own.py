"""An assignor of one's own in the consumer protocol: a name, and one pure function of the group.

Values only. When a member is asked to run it, and what becomes of its answer, is not decided here.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from rollcall.client.core.events import Partitions, TopicPartition

Racks = Mapping[str, Sequence[frozenset[str]]]
"""By topic: for each partition the racks that are near to it. May be shorter, or missing."""


@dataclass(frozen=True, slots=True)
class ViewMember:
    """A member of the group. ``owned``: what it was last meant to have, even if it is not there
    yet. ``version`` and ``metadata``: what it says to the assignor; -1: it does not know it (a
    stock client, say), and is given its share like all others."""

    member_id: str
    instance_id: str | None
    rack: str | None
    topics: frozenset[str]
    owned: Partitions
    version: int = -1
    metadata: bytes = b""


@dataclass(frozen=True, slots=True)
class View:
    """The group at one epoch, as the coordinator sees it. ``counts``: the number of partitions of
    every topic that anybody subscribes to and that exists. Members are sorted by id."""

    epoch: int
    assignor: str
    members: Sequence[ViewMember]
    counts: Mapping[str, int]
    racks: Racks


Shares = Mapping[str, Iterable[TopicPartition | tuple[str, int]]]
"""By member id. Who is left out gets nothing; a partition that is left out has no owner."""


@dataclass(frozen=True, slots=True)
class ClientAssignor:
    """``assign`` runs in a thread of its own, in whichever member is asked. ``metadata`` is what
    this member says to whoever assigns, in the form of ``version``; it reads what others say from
    ``minimum_version`` to ``maximum_version``. ``reason``: a number of one's own beside it."""

    name: str
    assign: Callable[[View], Shares]
    version: int = 0
    minimum_version: int = 0
    maximum_version: int = 0
    metadata: bytes = b""
    reason: int = 0


SAID_BYTES_MAX: Final = 16_000
"""What a member may say of all its assignors together: a tagged field has 16 KiB."""


def check_size(own: Sequence[ClientAssignor]) -> None:
    """``ValueError`` for more than a heartbeat can carry."""
    size = sum(len(each.name.encode()) + len(each.metadata) + 16 for each in own)
    if size > SAID_BYTES_MAX:
        raise ValueError(f"the assignors say {size} bytes; a heartbeat carries {SAID_BYTES_MAX}")


def client_assignor(own: Any) -> ClientAssignor:
    """What a program gives as its assignor: one of these, a function, or anything that has
    ``name`` and ``assign(view)``, made first where it is a class. ``ValueError`` for the rest."""
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
