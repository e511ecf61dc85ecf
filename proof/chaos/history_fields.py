"""The fields of the history for each request and response: one table, by the name of the API.

Pure: values of the protocol in, fields of ``proof.history`` out. The caller names the one topic of
a run.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from groups.core import commands
from groups.core.assignment import partitions_of
from groups.core.errors import ErrorCode
from proof.simulation import odd
from rollcall.wire.messages.draft import DRAFT_MESSAGES


class Answer(NamedTuple):
    """A response's one error code, and the further fields of the history if it is NONE."""

    code: int
    facts: Mapping[str, Any]


GENERATIONS: Final = (
    "generation_id",
    "generation_id_or_member_epoch",
    "member_epoch",
    "group_generation_id",
)
MEMBERS: Final = ("member_id", "consumer_id")
"""What the requests of each protocol call a generation, and their sender."""


def api_of(message: Any, end: str = "Request") -> str:
    """Kafka's name of a request, or of its response."""
    return type(message).__name__.removesuffix(end)


def of_request(request: Any) -> dict[str, Any]:
    """The sender and its generation."""
    known = [getattr(request, name) for name in GENERATIONS if hasattr(request, name)]
    senders = [getattr(request, name) for name in MEMBERS if hasattr(request, name)]
    return {
        "api": api_of(request),
        "group": getattr(request, "group_id", None) or request.groups[0].group_id,
        "member": senders[0] if senders else "",
        "generation": known[0] if known else -1,
        "instance": None,
    }


def of_answer(api: str, topic: str, answer: Any) -> Answer:
    """The fields of the response."""
    table = DRAFT_ANSWERS if type(answer) in DRAFT_TYPES else ANSWERS
    return table[api](answer, topic)


def _plain(answer: Any, _topic: str) -> Answer:
    return Answer(answer.error_code, {})


def _joined(answer: Any, _topic: str) -> Answer:
    member, generation = answer.member_id, answer.generation_id
    facts = {"member": member, "generation": generation, "leader": answer.leader}
    return Answer(answer.error_code, facts)


def _synced(answer: Any, _topic: str) -> Answer:
    share = sorted(partitions_of(answer.assignment) or ())
    return Answer(answer.error_code, {"owned": [[topic, p] for topic, p in share]})


def _consumed(answer: Any, topic: str) -> Answer:
    given = answer.assignment
    owned = None
    if given is not None:
        owned = [[topic, p] for those in given.topic_partitions for p in those.partitions]
    facts = {"member": answer.member_id, "generation": answer.member_epoch, "owned": owned}
    return Answer(answer.error_code, facts)


def _committed(answer: Any, _topic: str) -> Answer:
    codes = {p.error_code for topic in answer.topics for p in topic.partitions}
    (code,) = codes  # a group has the same code for all its partitions
    return Answer(code, {})


def _fetched(answer: Any, _topic: str) -> Answer:
    (group,) = answer.groups
    offsets = [
        [topic.name, p.partition_index, p.committed_offset]
        for topic in group.topics
        for p in topic.partitions
    ]
    notes = [odd.digest(p.metadata or "") for topic in group.topics for p in topic.partitions]
    return Answer(group.error_code, {"offsets": offsets, "notes": notes})


def _registered(answer: Any, _topic: str) -> Answer:
    facts = {"member": answer.consumer_id, "generation": answer.generation_id}
    return Answer(answer.error_code, facts)


def _polled(answer: Any, _topic: str) -> Answer:
    last = answer.commands[-1] if answer.commands else None
    if last is None or last.option != commands.START:
        return Answer(answer.error_code, {"generation": answer.generation_id, "owned": None})
    owned = [[t.name, each.partition] for t in last.ownership for each in t.partitions]
    return Answer(answer.error_code, {"generation": last.generation_id, "owned": sorted(owned)})


def _dealt(answer: Any, _topic: str) -> Answer:
    owned = [[t.name, p] for t in answer.partitions_to_own for p in t.partitions]
    generation, member = answer.group_generation_id, answer.consumer_id
    facts = {"member": member, "generation": generation, "owned": sorted(owned)}
    return Answer(answer.error_code, facts)


def _fetched_by_draft(answer: Any, _topic: str) -> Answer:
    each = [(topic.name, p) for topic in answer.topics for p in topic.partitions]
    (code,) = {p.error_code for _, p in each}  # a group has the same code for all its partitions
    offsets = [[name, p.partition, p.offset] for name, p in each]
    return Answer(code, {"offsets": offsets, "notes": [odd.digest(p.metadata) for _, p in each]})


ANSWERS: Final[Mapping[str, Callable[[Any, str], Answer]]] = {
    "JoinGroup": _joined,
    "SyncGroup": _synced,
    "Heartbeat": _plain,
    "LeaveGroup": _plain,
    "ConsumerGroupHeartbeat": _consumed,
    "OffsetCommit": _committed,
    "OffsetFetch": _fetched,
    "RegisterConsumer": _registered,
    "PollCommands": _polled,
    "AcknowledgeCommand": _plain,
}

DRAFT_ANSWERS: Final[Mapping[str, Callable[[Any, str], Answer]]] = {
    **ANSWERS,
    "JoinGroup": _dealt,
    "OffsetFetch": _fetched_by_draft,
}
"""The draft's responses have the same names."""

DRAFT_TYPES: Final = frozenset(each.response for each in DRAFT_MESSAGES.values())

GOOD: Final = int(ErrorCode.NONE)
