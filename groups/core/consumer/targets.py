"""Targets: the input of assignors, and the installation of their results."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, overload

from groups.core.assignors import weights
from groups.core.assignors.task import AssignmentTask
from groups.core.assignors.types import NOTHING, Assignor, Parts, Subscriber
from groups.core.consumer import awaited, client_rounds, target_schedule
from groups.core.consumer.index import Index
from groups.core.consumer.member import Member, by_topic
from groups.core.consumer.work import Work
from groups.core.values import replaced


class Ready(NamedTuple):
    """A member before and after it gets its new target, and the number of new partitions in it."""

    before: Member
    after: Member
    new: int


NOTHING_READY: Mapping[str, Ready] = {}


def ready(question: AssignmentTask, targets: Mapping[str, Parts]) -> Mapping[str, Ready]:
    """Prepare everything about members' new targets that can be done outside of the step: for a
    large group that takes too long for a step."""
    converted = question.members
    found: dict[str, Ready] = {}
    assert isinstance(converted, ConvertedMembers), "the question is not one of a group"
    for member in converted.members:
        target = targets[member.row.member_id]
        if member.target is not target and member.target != target and member.written is not None:
            after = member.with_target(target, by_topic(target))
            found[member.row.member_id] = Ready(member, after, len(target - member.target))
    return found


def go_by(
    work: Work,
    question: AssignmentTask,
    targets: Mapping[str, Parts],
    prepared: Mapping[str, Ready] = NOTHING_READY,
    by: Member | None = None,
) -> None:
    """Set the members' targets, if the members still exist.

    ``prepared``: prepared results, valid for each member that is still the same object. ``by``: the
    member that computed them; None: the coordinator did.
    """
    awaited.before_target(work)
    _take_from_drained(work)
    members = question.members
    is_old = question.epoch < work.row.generation
    if is_old and not (isinstance(members, ConvertedMembers) and members.knows(work.index)):
        prepared = NOTHING_READY
    new, subscribers = 0, Subscribers(work.index)
    for subscriber in members:
        member = work.members.get(subscriber.member_id)
        done = prepared.get(subscriber.member_id)
        if done is not None and done.before is member:
            work.put_written(done.after)
            new += done.new
            continue
        target = targets[subscriber.member_id]
        member = _still(work, subscriber)
        if member is None or member.drain is not None:
            continue
        if member.target is target or member.target == target:  # equal sets are compared in whole
            continue
        # A member may have unsubscribed from some of it in the meantime.
        if is_old and not subscriber.topics <= (subscribed := subscribers.of(member).topics):
            target = frozenset(part for part in target if part[0] in subscribed)
        new += len(target - member.target)
        work.change_members()[member.row.member_id] = replaced(member, target=target)
        work.touched[member.row.member_id] = None
    moved = work.row.details.get("moved", 0) + new
    work.set_target(question.epoch, assignor=question.name, moved=moved, **_author(work, by))
    target_schedule.came(work)
    client_rounds.came(work)


def _take_from_drained(work: Work) -> None:
    """Drained members are in no question, and a late answer may still name one."""
    for member_id in sorted(work.index.drained):
        if work.members[member_id].target:
            member = replaced(work.members[member_id], target=NOTHING)
            work.change_members()[member_id] = member
            work.touched[member_id] = None


def _author(work: Work, by: Member | None) -> dict[str, str | None]:
    """Who assigned, for display; only in groups in which a member has ever assigned."""
    if by is not None:
        return {"assigned_by": by.row.client_id or by.row.member_id, "fell_back": None}
    return {"assigned_by": None} if work.row.details.get("assigned_by") else {}


def _still(work: Work, subscriber: Subscriber) -> Member | None:
    """The member of the request; a static one may have a new id by now."""
    member = work.members.get(subscriber.member_id)
    if member is None and subscriber.instance_id is not None:
        return work.holder(subscriber.instance_id)
    return member


def topic_ids(work: Work, member: Member) -> frozenset[str]:
    """The ids of the topics that a member subscribes to and that exist."""
    return Subscribers(work.index).of(member).topics


def subscribes_anew(before: Member, after: Member) -> bool:
    """Whether a member's subscription (names or pattern) has changed."""
    return (after.topics, after.regex) != (before.topics, before.regex)


def kept_topics(work: Work, before: Member, after: Member) -> frozenset[str] | None:
    """The ids of the topics that a member still subscribes to, if that has just changed; else
    None."""
    return topic_ids(work, after) if subscribes_anew(before, after) else None


def forget_unsubscribed(work: Work, member: Member) -> None:
    """While a new target has to wait, remove topics that a member unsubscribed from from its
    target."""
    subscribed = topic_ids(work, member)
    if any(topic not in subscribed for topic, _ in member.target):
        target = frozenset(part for part in member.target if part[0] in subscribed)
        work.put(replaced(member, target=target))


def size_of(work: Work) -> int:
    """A measure of the time to compute a target: members, partitions, and the topics of each
    member, unless all members subscribe to the same ones."""
    index, members = work.index, work.members
    partitions = sum(count for _, count in index.catalogue.values())
    if _are_alike(index, len(members)):
        return len(members) + partitions + len(index.names)
    matched = {regex: len(names) for regex, names in index.matches.items()}
    topics = sum(len(each.topics) + matched.get(each.regex, 0) for each in members.values())
    return len(members) + partitions + topics


def _are_alike(index: Index, size: int) -> bool:
    """Whether all subscriptions are equal: each name has all members, or one pattern has."""
    if not index.regexes:
        return all(count == size for count in index.names.values())
    is_one = list(index.regexes.values()) == [size]
    return is_one and all(count == 1 for count in index.names.values())


class ConvertedMembers(Sequence[Subscriber]):
    """The members of a group as assignors see them, converted on first access.

    ``members``: their values at the time of the request.
    """

    def __init__(self, members: Sequence[Member], index: Index) -> None:
        self.members = members
        self._catalogue, self._matches = index.catalogue, index.matches
        self._seen: list[Subscriber] | None = None

    def knows(self, index: Index) -> bool:
        """Whether names and patterns mean the same topics in that index."""
        return self._catalogue is index.catalogue and self._matches is index.matches

    def __len__(self) -> int:
        return len(self.members)

    @overload
    def __getitem__(self, at: int) -> Subscriber: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Subscriber]: ...
    def __getitem__(self, at: int | slice) -> Subscriber | Sequence[Subscriber]:
        return self._all()[at]

    def __iter__(self) -> Iterator[Subscriber]:
        return iter(self._all())

    def _all(self) -> list[Subscriber]:
        if self._seen is None:
            subscribers = Subscribers(Index(catalogue=self._catalogue, matches=self._matches))
            self._seen = [subscribers.of(member) for member in self.members]
        return self._seen


class Subscribers:
    """Members as assignors see them. Equal subscriptions become one set, which compares fast."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._topics: dict[tuple[tuple[str, ...], str], frozenset[str]] = {}
        self._sets: dict[frozenset[str], frozenset[str]] = {}

    def of(self, member: Member) -> Subscriber:
        """One member; ``held`` is its last target."""
        subscription = (member.topics, member.regex)
        topics = self._topics.get(subscription)
        if topics is None:
            known = self._index.catalogue
            names = (*member.topics, *self._index.matches.get(member.regex, ()))
            topics = frozenset(known[name][0] for name in names if name in known)
            topics = self._topics[subscription] = self._sets.setdefault(topics, topics)
        row, weight = member.row, weights.weight_of(member.assignor)
        return Subscriber(
            row.member_id, row.instance_id, topics, member.target, member.rack_id, weight
        )


def may_have(work: Work) -> list[str]:
    """The ids of the members that may have partitions, in order."""
    drained = work.index.drained
    return sorted(work.members.keys() - drained if drained else work.members)


def question(work: Work, name: str, assign: Assignor) -> AssignmentTask:
    """The input of an assignor for the group, without drained members. Members are converted on
    first access: if that happens in a thread, the event loop does not wait for it."""
    catalogue = work.index.catalogue
    members = ConvertedMembers([work.members[m] for m in may_have(work)], work.index)
    counts = dict(catalogue[topic] for topic in sorted(catalogue))
    return AssignmentTask(work.row.generation, name, assign, members, counts, work.live.racks)
