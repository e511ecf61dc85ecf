"""The fields of the history for each request and response: one table, by the name of the API.

Pure: values of the protocol in, fields of ``proof.history`` out. The caller names the one topic of
a run.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from groups.core.assignment import partitions_of
from groups.core.errors import ErrorCode
from proof.simulation import odd


class Answer(NamedTuple):
    """A response's one error code, and the further fields of the history if it is NONE."""

    code: int
    facts: Mapping[str, Any]


def api_of(request: Any) -> str:
    """Kafka's name of a request."""
    return type(request).__name__.removesuffix("Request")


def of_request(request: Any) -> dict[str, Any]:
    """The sender and its generation."""
    generations = ("generation_id", "generation_id_or_member_epoch", "member_epoch")
    known = [getattr(request, name) for name in generations if hasattr(request, name)]
    return {
        "api": api_of(request),
        "group": getattr(request, "group_id", None) or request.groups[0].group_id,
        "member": getattr(request, "member_id", ""),
        "generation": known[0] if known else -1,
        "instance": None,
    }


def of_answer(api: str, topic: str, answer: Any) -> Answer:
    """The fields of the response."""
    return ANSWERS[api](answer, topic)


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


ANSWERS: Final[Mapping[str, Callable[[Any, str], Answer]]] = {
    "JoinGroup": _joined,
    "SyncGroup": _synced,
    "Heartbeat": _plain,
    "LeaveGroup": _plain,
    "ConsumerGroupHeartbeat": _consumed,
    "OffsetCommit": _committed,
    "OffsetFetch": _fetched,
}

GOOD: Final = int(ErrorCode.NONE)
