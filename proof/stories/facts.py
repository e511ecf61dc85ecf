"""What is known of a rebalance: its causes, whom it waited for, and who was removed."""

from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from groups.core.group import JournalEntry
from groups.core.waiting import Act
from proof.stories.world import World

Key = tuple[str, Act]
"""A member's id, and what is awaited of it."""

PUT_OFF: Final = "put off"
"""In place of a member's id: the cause of a rebalance that was put off names nobody."""


class Known(NamedTuple):
    """A cause: when it came, what it was, and which member, if one; of several the first, and those
    that are named with it."""

    at: int
    trigger: str
    name: str | None
    member_id: str | None = None
    members: int = 1
    also: tuple[str | None, ...] = ()


class Gone(NamedTuple):
    """A member that was removed: by what, and what was awaited of it then."""

    at: int
    trigger: str
    awaited: frozenset[Act]
    silent_ms: int


@dataclass
class Told:
    """An explanation that was compared, for the story's end."""

    entries: int = 0
    removed: int = 0
    causes: int = 0
    longest_ms: int = 0


@dataclass
class Facts:
    """Of the current rebalance. ``wrong``: what the journal said otherwise. ``spans``: who was
    awaited from when to when; ``phases``: when the group began to wait for another act;
    ``rejoined``: who did what was awaited and may have been awaited again from then on.
    ``carried``: the first cause of the join phase that a sync phase follows. ``taken_at``: when
    another node took the rebalance over; ``owed``: the cause for which the row owes one."""

    world: World
    members: Any
    wrong: list[str] = field(default_factory=list)
    told_of: Told = field(default_factory=Told)
    spans: list[tuple[Key, int, int]] = field(default_factory=list)
    causes: list[Known] = field(default_factory=list)
    carried: Known | None = None
    gone: list[tuple[str, Gone]] = field(default_factory=list)
    phases: set[int] = field(default_factory=set)
    rejoined: set[tuple[str, int]] = field(default_factory=set)
    names: dict[str, str] = field(default_factory=dict)
    taken_at: int | None = None
    owed: str | None = None
    kind: str = ""

    def __post_init__(self) -> None:
        self.kind = self.world.group.durable.group.kind

    def member(self, member_id: str) -> Any:
        """The client that has, or had, this id."""
        return self.members.by_name(self.names.get(member_id, ""))

    def known_as(self, key: Key) -> Key:
        """A static member is the same one under all its ids."""
        member = self.member(key[0])
        is_static = member is not None and member.instance_id is not None
        return (member.name if is_static else key[0], key[1])

    def say(self, entry: JournalEntry, what: str) -> None:
        """The entry says something that is not true."""
        self.wrong.append(f"{self.world.now}: {entry.kind} {entry.generation_after}: {what}")
