"""What an import has to do, and what it cannot do: pure, from two snapshots.

Everything compares with what the target has, so an import that is repeated does only what is left.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Final

from rollcall.importing.snapshot import Committed, Group, Offsets, Rule, Snapshot

EVERYTHING: Final = ("*",)

LISTED_MAX: Final = 5
"""Partitions that a sentence names."""

NO_GROUP: Final = Group("", "dead", {})

SHARE: Final = "share"
"""The only kind of groups that commits no offsets: it has the state of each record instead
(KIP-932)."""


class Subject(StrEnum):
    """What a step is about."""

    TOPIC = "topic"
    GROUP = "group"
    ACLS = "acls"


class Action(StrEnum):
    """What is to be done about it."""

    CREATE = "create"
    GROW = "grow"
    COMMIT = "commit"
    NONE = "none"
    CANNOT = "cannot"


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the plan; the last three fields are what it writes.

    ``partitions``: the topic's number after it.
    """

    subject: Subject
    name: str
    action: Action
    detail: str
    partitions: int = 0
    offsets: Offsets | None = None
    rules: tuple[Rule, ...] = ()

    def failed(self, why: str) -> "Step":
        """The same step, after the target has refused it."""
        return replace(self, action=Action.CANNOT, detail=why)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which groups and topics: names, or shell patterns. ``rules``: access rules, too."""

    groups: Sequence[str] = EVERYTHING
    topics: Sequence[str] = EVERYTHING
    rules: bool = True

    def has_topic(self, name: str) -> bool:
        """Whether it is one of them."""
        return _matches(self.topics, name)

    def has_group(self, name: str) -> bool:
        """Whether it is one of them."""
        return _matches(self.groups, name)


def plan(source: Snapshot, target: Snapshot, wanted: Wanted) -> list[Step]:
    """The steps, in the order in which they must be done: offsets need their topics."""
    topics = list(_topics(source, target, wanted))
    sizes = {**target.topics, **{step.name: step.partitions for step in topics if step.partitions}}
    groups = list(_groups(source, target, wanted, sizes))
    return [*topics, *groups, *(_rules(source, target) if wanted.rules else ())]


def _matches(patterns: Iterable[str], name: str) -> bool:
    return any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns)


def _missing(subject: Subject, patterns: Sequence[str], names: Iterable[str]) -> Iterator[Step]:
    """A step for each pattern that names nothing: else a typing error would look like success."""
    known = list(names)
    for pattern in patterns:
        if pattern not in EVERYTHING and not any(_matches([pattern], name) for name in known):
            yield Step(subject, pattern, Action.CANNOT, "the source has none of this name")


def _topics(source: Snapshot, target: Snapshot, wanted: Wanted) -> Iterator[Step]:
    yield from _missing(Subject.TOPIC, wanted.topics, source.topics)
    for name, count in sorted(source.topics.items()):
        if wanted.has_topic(name):
            yield _topic(name, count, target.topics.get(name, 0))


def _topic(name: str, count: int, there: int) -> Step:
    if there > count:
        why = f"the target has {there} partitions, not {count}: a topic does not shrink"
        return Step(Subject.TOPIC, name, Action.CANNOT, why)
    if there == count:
        return Step(Subject.TOPIC, name, Action.NONE, f"{count} partitions")
    if there:
        detail = f"from {there} to {count} partitions"
        return Step(Subject.TOPIC, name, Action.GROW, detail, partitions=count)
    return Step(Subject.TOPIC, name, Action.CREATE, f"{count} partitions", partitions=count)


def _groups(
    source: Snapshot, target: Snapshot, wanted: Wanted, sizes: Mapping[str, int]
) -> Iterator[Step]:
    yield from _missing(Subject.GROUP, wanted.groups, source.groups)
    for name, group in sorted(source.groups.items()):
        if wanted.has_group(name):
            yield from _group(name, group, target.groups.get(name, NO_GROUP), wanted, sizes)


def _group(
    name: str, group: Group, there: Group, wanted: Wanted, sizes: Mapping[str, int]
) -> Iterator[Step]:
    why = _obstacle(group, there)
    if why:
        yield Step(Subject.GROUP, name, Action.CANNOT, why)
        return
    assert group.offsets is not None and there.offsets is not None
    ours = {at: each for at, each in group.offsets.items() if wanted.has_topic(at[0])}
    placed = {at: each for at, each in ours.items() if at[1] < sizes.get(at[0], 0)}
    ahead = {at for at, each in placed.items() if _is_ahead(there.offsets.get(at), each)}
    todo = {
        at: each for at, each in placed.items() if at not in ahead and there.offsets.get(at) != each
    }
    if homeless := sorted({at[0] for at in ours.keys() - placed.keys()}):
        why = f"offsets of topics that are not there: {', '.join(homeless)}"
        yield Step(Subject.GROUP, name, Action.CANNOT, why)
    if ahead:
        yield Step(Subject.GROUP, name, Action.CANNOT, f"the target is ahead in {_listed(ahead)}")
    if todo:
        detail = f"{len(todo)} of {len(ours)} offsets"
        yield Step(Subject.GROUP, name, Action.COMMIT, detail, offsets=todo)
    elif not homeless and not ahead:
        yield Step(Subject.GROUP, name, Action.NONE, f"{len(ours)} offsets")


def _obstacle(group: Group, there: Group) -> str:
    """Why nothing of a group can be moved; "" if it can be."""
    if group.kind.lower() == SHARE:
        return f"a {group.kind} group has no committed offsets"
    if group.is_live:
        return f"it has members at the source ({group.state or 'state not told'}): stop them"
    if there.is_live:
        return f"it has members at the target ({there.state}): they commit themselves"
    return group.why or there.why


def _is_ahead(there: Committed | None, ours: Committed) -> bool:
    """After a cut-over members have gone on in Rollcall; an import must not take them back."""
    return there is not None and there.offset > ours.offset


def _listed(places: Iterable[tuple[str, int]]) -> str:
    names = [f"{topic}-{partition}" for topic, partition in sorted(places)]
    more = f" and {len(names) - LISTED_MAX} more" if len(names) > LISTED_MAX else ""
    return ", ".join(names[:LISTED_MAX]) + more


def _rules(source: Snapshot, target: Snapshot) -> Iterator[Step]:
    if source.rules is None:
        yield Step(Subject.ACLS, "", Action.NONE, "the source has no authorizer")
        return
    there = target.rules or frozenset()
    todo = sorted(source.rules - there)
    if not todo:
        yield Step(Subject.ACLS, "", Action.NONE, f"{len(source.rules)} rules")
    elif target.rules is None:
        why = f"{len(todo)} rules, and the target has no authorizer (authorizer.class.name)"
        yield Step(Subject.ACLS, "", Action.CANNOT, why)
    else:
        for principal in sorted({rule.principal for rule in todo}):
            rules = tuple(rule for rule in todo if rule.principal == principal)
            detail = f"{len(rules)} rules"
            yield Step(Subject.ACLS, principal, Action.CREATE, detail, rules=rules)
