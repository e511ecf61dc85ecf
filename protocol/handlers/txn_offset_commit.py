"""TxnOffsetCommit (28): offsets that count once their transaction is committed (KIP-98, KIP-447).

Partitions that do not exist, or whose metadata is too long, fail alone, as with OffsetCommit. The
others are submitted to the group as one event, after the producer's transaction is checked.
"""

from collections.abc import Callable, Container, Sequence
from functools import partial

from groups.catalogue.cache import CatalogueEntry
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import OffsetWrite, TxnOffsetCommit
from groups.core.transactions import Claim
from protocol.handlers.offset_commit import (
    NO_ROOM,
    Codes,
    entries_of,
    is_known,
    no_room,
    sort_topics,
    under,
)
from protocol.handlers.support import validation
from protocol.handlers.support.merged_topics import added_up, is_answered_by_both
from protocol.requests.call import Call
from rollcall.wire.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitResponse,
    TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
)

TOPIC_IDS_SINCE = 6  # KIP-1319

LOADING_SINCE = 2
"""Clients of earlier versions know only COORDINATOR_NOT_AVAILABLE."""

Good = ErrorCode.NONE


async def handle(request: TxnOffsetCommitRequest, call: Call) -> TxnOffsetCommitResponse:
    """Store the offsets as pending until the transaction ends."""
    entries = await entries_of(request.topics, call, is_named=call.version < TOPIC_IDS_SINCE)
    codes, writes = await _sort(request, entries, call)
    try:
        verdict = await _decide(request, writes, call) if writes or is_known(codes) else Good
    except Refuse as refusal:
        verdict = refusal.code
    verdict = _code_for(verdict, call.version)
    codes = under(verdict, codes)
    unknown = [at for at, entry in enumerate(entries) if isinstance(entry, ErrorCode)]
    adds_up = bool(unknown) or is_answered_by_both(codes)
    telling = partial(_response, request, lambda t, p: codes[t][p] or verdict, unknown)
    return await call.aside(partial(telling, adds_up=adds_up))


async def _decide(
    request: TxnOffsetCommitRequest, writes: list[OffsetWrite], call: Call
) -> ErrorCode:
    validation.group_id(request.group_id, call.node.settings)
    validation.transactional_id(request.transactional_id, call.node.settings)
    await call.available_or_refuse(request.group_id)
    claim = Claim(request.producer_id, request.producer_epoch)
    await call.node.transactions.admit(
        request.transactional_id, claim, request.group_id, call.version
    )
    await call.node.totals.offsets.admit_waiting(request.group_id, len(writes))
    if request.group_id in call.node.coordinator.full:
        await _check_room(request.group_id, writes, call)
    event = TxnOffsetCommit(
        ticket=call.ticket,
        producer_id=request.producer_id,
        producer_epoch=request.producer_epoch,
        generation_id=request.generation_id,
        member_id=request.member_id,
        instance_id=request.group_instance_id,
        offsets=tuple(writes),
        version=call.version,
    )
    return (await call.decide(request.group_id, event)).error


async def _check_room(group_id: str, writes: list[OffsetWrite], call: Call) -> None:
    """A transaction commits all of its offsets or none."""
    if await no_room(group_id, writes, call):
        raise Refuse(NO_ROOM)


async def _sort(
    request: TxnOffsetCommitRequest, entries: Sequence[CatalogueEntry | ErrorCode], call: Call
) -> tuple[Codes, list[OffsetWrite]]:
    """A code for each partition, and the writes of those whose code is NONE."""
    limit = call.node.settings.offset_metadata_max_bytes
    who = call.committer(validation.shown(request.member_id))
    return await call.aside(partial(sort_topics, request.topics, entries, limit, who))


def _code_for(code: ErrorCode, version: int) -> ErrorCode:
    if code is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS and version < LOADING_SINCE:
        return ErrorCode.COORDINATOR_NOT_AVAILABLE
    return code


def _response(
    request: TxnOffsetCommitRequest,
    code: Callable[[int, int], ErrorCode],
    unknown: Container[int],
    *,
    adds_up: bool = False,
) -> TxnOffsetCommitResponse:
    """As in OffsetCommit: the topics without partitions are those that do not exist."""
    answers = [
        (
            (topic.name, topic.topic_id),
            [
                TxnOffsetCommitResponsePartition(
                    partition_index=partition.partition_index, error_code=code(t, p)
                )
                for p, partition in enumerate(topic.partitions)
            ],
        )
        for t, topic in enumerate(request.topics)
        if topic.partitions or t in unknown
    ]
    return TxnOffsetCommitResponse(
        topics=[
            TxnOffsetCommitResponseTopic(name=name, topic_id=topic_id, partitions=partitions)
            for (name, topic_id), partitions in (added_up(answers) if adds_up else answers)
        ]
    )
