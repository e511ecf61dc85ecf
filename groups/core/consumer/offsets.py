"""Who may commit and read offsets of a consumer group (KIP-848, KIP-1251)."""

from collections.abc import Iterable, Mapping
from typing import Final

from groups.core import offset_rules
from groups.core.consumer.index import Index
from groups.core.consumer.member import Member
from groups.core.consumer.work import Work
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import DraftCommit, OffsetCommit, OffsetWrite, TxnOffsetCommit
from groups.core.step import Handlers
from groups.core.transactions import GROUP_ERRORS_SINCE

NONE: Final = ErrorCode.NONE  # a look-up in an enumeration takes 0.1 us

MEMBER_EPOCH_SINCE = 9
"""The first version of OffsetCommit with a member epoch."""


def commit(work: Work, event: OffsetCommit) -> None:
    """Accept a commit or refuse it as a whole."""
    if not work.exists or (not work.is_there and event.generation_id >= 0):
        raise _refusal_of_nothing(event)
    work.occupy()
    if code := verdict(work.members, work.index, event):
        raise Refuse(code)
    offset_rules.commit(work, event)


def _refusal_of_nothing(event: OffsetCommit) -> Refuse:
    """The group does not exist. A group with offsets only would be a classic one, with other rules:
    the client tries again, and the group can be created."""
    if event.generation_id < 0:
        return Refuse(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    if event.version >= MEMBER_EPOCH_SINCE:
        return Refuse(ErrorCode.GROUP_ID_NOT_FOUND)
    return Refuse(ErrorCode.ILLEGAL_GENERATION)


def verdict(members: Mapping[str, Member], index: Index, event: OffsetCommit) -> ErrorCode:
    """The answer of an existing group to a commit."""
    if event.generation_id < 0 and not members:
        return NONE
    member = members.get(event.member_id)
    if member is None:
        return ErrorCode.UNKNOWN_MEMBER_ID
    if event.version < MEMBER_EPOCH_SINCE and not member.is_classic:
        return ErrorCode.UNSUPPORTED_VERSION
    if not _is_current(index, member, event.generation_id, event.offsets):
        return _stale(member)
    return NONE


def _stale(member: Member) -> ErrorCode:
    """Each protocol has its own error for a wrong epoch."""
    if member.is_classic:
        return ErrorCode.ILLEGAL_GENERATION
    return ErrorCode.STALE_MEMBER_EPOCH


def commit_in_transaction(work: Work, event: TxnOffsetCommit) -> None:
    """Store offsets until the transaction ends; a request without a member is accepted.

    Before version 6 this API has only generations, and a stale epoch is ILLEGAL_GENERATION.
    """
    if not work.exists or (not work.is_there and event.generation_id >= 0):
        raise _refusal_of_a_missing_group(event)
    names_member = event.generation_id >= 0 or event.member_id or event.instance_id is not None
    if names_member and not (event.generation_id < 0 and not work.members):
        member = work.members.get(event.member_id)
        if member is None:
            raise Refuse(ErrorCode.UNKNOWN_MEMBER_ID)
        if not _is_current(work.index, member, event.generation_id, event.offsets):
            knows_epochs = event.version >= GROUP_ERRORS_SINCE
            raise Refuse(_stale(member) if knows_epochs else ErrorCode.ILLEGAL_GENERATION)
    offset_rules.commit_pending(work, event)


def _refusal_of_a_missing_group(event: TxnOffsetCommit) -> Refuse:
    """As for a plain commit: the client tries again, and the group can be created."""
    if event.generation_id < 0:
        return Refuse(ErrorCode.COORDINATOR_NOT_AVAILABLE)
    if event.version >= GROUP_ERRORS_SINCE:
        return Refuse(ErrorCode.GROUP_ID_NOT_FOUND)
    return Refuse(ErrorCode.ILLEGAL_GENERATION)


def _is_current(index: Index, member: Member, epoch: int, writes: Iterable[OffsetWrite]) -> bool:
    """Whether a member may commit these with this epoch."""
    return epoch == member.epoch or (epoch < member.epoch and _covers(index, member, epoch, writes))


def _covers(index: Index, member: Member, epoch: int, writes: Iterable[OffsetWrite]) -> bool:
    """Whether all partitions belong to the member since this older epoch or longer (KIP-1251)."""
    since = member.since or {}
    for write in writes:
        held_since = since.get((_topic_id(index, write), write.partition))
        if held_since is None or held_since > epoch:
            return False
    return True


def _topic_id(index: Index, write: OffsetWrite) -> str:
    """The topic's id from the handler: if no member subscribes to a topic any more while it is
    being revoked, the group does not know its name."""
    if write.topic_id is not None:
        return write.topic_id.hex
    return index.catalogue.get(write.topic, ("", 0))[0]


def check_reader(member: Member | None, epoch: int) -> ErrorCode:
    """Whether a member may read offsets: only with its current epoch."""
    if member is None:
        return ErrorCode.UNKNOWN_MEMBER_ID
    return ErrorCode.NONE if epoch == member.epoch else _stale(member)


HANDLERS: Final[Handlers[Work]] = {
    **offset_rules.HANDLERS,
    OffsetCommit: commit,
    DraftCommit: commit,
    TxnOffsetCommit: commit_in_transaction,
}
