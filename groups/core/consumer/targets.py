"""Targets: what assignors are told of members, and how members come by what was worked out."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from groups.core.assignors import Parts, Subscriber, wishes
from groups.core.assignors.question import Question
from groups.core.consumer import batching, rounds
from groups.core.consumer.index import Index
from groups.core.consumer.member import UNREVOKED, Member

if TYPE_CHECKING:
    from groups.core.consumer.work import Work

Grouped = Mapping[str, Mapping[str, list[int]]]

NOT_GROUPED: Grouped = {}


def go_by(
    work: "Work",
    question: Question,
    targets: Mapping[str, Parts],
    grouped: Grouped = NOT_GROUPED,
    by: Member | None = None,
) -> None:
    """The members' targets are these from now on, as far as they are still what they were.

    ``by``: the member that worked them out; None: the coordinator did.
    """
    members = work.change_members()
    moved = work.row.details.get("moved", 0)
    is_old = question.epoch < work.row.generation
    for asked in question.members:
        member = _still(work, asked)
        if member is None:
            continue
        target, by_topic = targets[asked.member_id], grouped.get(asked.member_id)
        if member.target is target or member.target == target:
            continue
        # A member may have turned away from some of it meanwhile.
        if is_old and not asked.topics <= (subscribed := topic_ids(work, member)):
            target = frozenset(part for part in target if part[0] in subscribed)
            by_topic = None
        moved += len(target - member.target)
        if by_topic is None:
            members[member.row.member_id] = replace(member, target=target)
        else:
            members[member.row.member_id] = member.with_target(target, by_topic)
        work.touched[member.row.member_id] = None
    work.set_target(question.epoch, assignor=question.name, moved=moved, **_author(work, by))
    batching.came(work)
    rounds.came(work)


def _author(work: "Work", by: Member | None) -> dict[str, str | None]:
    """Who assigned, for people; said of groups only that a member has ever assigned."""
    if by is not None:
        return {"assigned_by": by.row.client_id or by.row.member_id, "fell_back": None}
    return {"assigned_by": None} if work.row.details.get("assigned_by") else {}


def _still(work: "Work", asked: Subscriber) -> Member | None:
    """The member for whom this was asked; a static one may have a new id by now."""
    member = work.members.get(asked.member_id)
    if member is None and asked.instance_id is not None:
        return work.holder(asked.instance_id)
    return member


def topic_ids(work: "Work", member: Member) -> frozenset[str]:
    """The ids of the topics that a member subscribes to and that exist."""
    return Subscribers(work.index).of(member).topics


def subscribes_anew(before: Member, after: Member) -> bool:
    """Whether a member subscribes to other names, or by another pattern, than before."""
    return (after.topics, after.regex) != (before.topics, before.regex)


def kept_topics(work: "Work", before: Member, after: Member) -> frozenset[str] | None:
    """The ids of the topics that a member still subscribes to, where it has just changed them in
    the middle of a revocation; else None."""
    is_asked = after.state == UNREVOKED and subscribes_anew(before, after)
    return topic_ids(work, after) if is_asked else None


def forget_unsubscribed(work: "Work", member: Member) -> None:
    """While a new target has to wait, a member's target loses what it no longer subscribes to."""
    subscribed = topic_ids(work, member)
    if any(topic not in subscribed for topic, _ in member.target):
        target = frozenset(part for part in member.target if part[0] in subscribed)
        work.put(replace(member, target=target))


class Subscribers:
    """Members as assignors see them. Equal subscriptions become one set, which compares fast."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._topics: dict[tuple[tuple[str, ...], str], frozenset[str]] = {}
        self._sets: dict[frozenset[str], frozenset[str]] = {}

    def of(self, member: Member) -> Subscriber:
        """One member; it holds what it was last meant to have."""
        said = (member.topics, member.regex)
        topics = self._topics.get(said)
        if topics is None:
            known = self._index.catalogue
            names = (*member.topics, *self._index.matches.get(member.regex, ()))
            topics = frozenset(known[name][0] for name in names if name in known)
            topics = self._topics[said] = self._sets.setdefault(topics, topics)
        row, weight = member.row, wishes.weight_of(member.assignor)
        return Subscriber(
            row.member_id, row.instance_id, topics, member.target, member.rack_id, weight
        )
