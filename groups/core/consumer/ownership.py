"""The facts of a consumer group: whose lives began, and who owns what.

A partition is owned until the member has acknowledged that it revoked it, so what a member owns is
what it holds (``Member.holds``).
"""

from collections.abc import Iterator, Mapping

from groups.core.assignors.types import Parts
from groups.core.authors import Client
from groups.core.classic.work import KIND as CLASSIC
from groups.core.consumer.index import Index
from groups.core.consumer.member import Member
from groups.core.facts import Began, Origin, Owned, Owns, grouped
from groups.core.subscription import protocol_names

KIND = "consumer"


def began(member: Member, generation: int, client: Client) -> Began:
    """The life of a new member, or of a static one under its new id."""
    row, speaks_classic = member.row, member.is_classic
    protocols = protocol_names(row.subscription) if speaks_classic else ()
    if not speaks_classic and member.assignor is not None:
        protocols = (member.assignor,)
    return Began(
        row,
        CLASSIC if speaks_classic else KIND,
        generation,
        origin=Origin.RETURNED if member.holds else Origin.JOINED,
        client=client,
        topics=member.topics,
        pattern=member.regex,
        protocols=protocols,
        rack_id=member.rack_id,
    )


def owned(
    changed: Mapping[str, int], members: Mapping[str, Member], index: Index
) -> Iterator[Owns]:
    """What each changed member owns, by the generation of the change."""
    names = index.names_by_id
    for member_id, generation in changed.items():
        member = members.get(member_id)
        if member is not None:
            yield Owns(member_id, generation, named(member.holds, names))


def named(parts: Parts, names: Mapping[str, str]) -> Owned:
    """Partitions by topic name, without those of deleted topics."""
    return grouped((names[topic_id], p) for topic_id, p in parts if topic_id in names)
