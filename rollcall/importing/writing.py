"""Does the steps of a plan in Rollcall, over its Kafka port: what a client may do, with the rights
and the limits of a client. Every step is done whole or says why not."""

from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from itertools import groupby
from typing import Any, Final, TypeVar

from rollcall.client.core.codes import name_of
from rollcall.importing.cluster import REQUEST_S, Cluster
from rollcall.importing.plan import Action, Step, Subject
from rollcall.importing.snapshot import Committed
from rollcall.wire.declare import Message
from rollcall.wire.messages.create_acls import AclCreation, CreateAclsRequest
from rollcall.wire.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from rollcall.wire.messages.create_topics import CreatableTopic, CreateTopicsRequest
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)

Value = TypeVar("Value")

OFFSETS_PER_REQUEST: Final = 1_000
RULES_PER_REQUEST: Final = 100
"""Far below Rollcall's limits of a request, whose defaults are in docs/limits.md."""

TIMEOUT_MS: Final = int(REQUEST_S * 1_000)


async def execute(cluster: Cluster, steps: Iterable[Step]) -> AsyncIterator[Step]:
    """Do the steps one after the other; yields each as it was, or as failed. Raises
    ``Unavailable``: the steps that were not yielded may have been done in part."""
    for step in steps:
        do = DO.get((step.subject, step.action))
        why = await do(cluster, step) if do else ""
        yield step.failed(why) if why else step


async def _create(cluster: Cluster, step: Step) -> str:
    topic = CreatableTopic(name=step.name, num_partitions=step.partitions, replication_factor=-1)
    answer = await cluster.ask(CreateTopicsRequest(topics=[topic], timeout_ms=TIMEOUT_MS))
    return _refusals(answer.topics)


async def _grow(cluster: Cluster, step: Step) -> str:
    topic = CreatePartitionsTopic(name=step.name, count=step.partitions, assignments=None)
    request: Message = CreatePartitionsRequest(topics=[topic], timeout_ms=TIMEOUT_MS)
    return _refusals((await cluster.ask(request)).results)


async def _allow(cluster: Cluster, step: Step) -> str:
    """All of them: one that is refused keeps no other from being created."""
    refused = dict[str, None]()
    for rules in _parts(step.rules, RULES_PER_REQUEST):
        creations = [
            AclCreation(
                resource_type=rule.resource_type,
                resource_name=rule.name,
                resource_pattern_type=rule.pattern_type,
                principal=rule.principal,
                host=rule.host,
                operation=rule.operation,
                permission_type=rule.permission,
            )
            for rule in rules
        ]
        answer = await cluster.ask(CreateAclsRequest(creations=creations))
        refused[_refusals(answer.results)] = None
    return "; ".join(filter(None, refused))


async def _commit(cluster: Cluster, step: Step) -> str:
    """As a program without a membership: Rollcall itself refuses it in a group with members. An
    offset that is refused keeps no other from being committed."""
    codes = set[int]()
    offsets = sorted((step.offsets or {}).items())
    for some in _parts(offsets, OFFSETS_PER_REQUEST):
        request = OffsetCommitRequest(
            group_id=step.name, member_id="", topics=list(_by_topic(some))
        )
        answer = await cluster.of_group(step.name, request, _first_code)
        codes |= {*_codes(answer)} - {0}
    return f"the commit was refused: {', '.join(map(name_of, sorted(codes)))}" if codes else ""


def _parts(values: Sequence[Value], size: int) -> Iterator[Sequence[Value]]:
    return (values[at : at + size] for at in range(0, len(values), size))


def _by_topic(
    offsets: Sequence[tuple[tuple[str, int], Committed]],
) -> Iterator[OffsetCommitRequestTopic]:
    for topic, lines in groupby(offsets, lambda line: line[0][0]):
        partitions = [
            OffsetCommitRequestPartition(
                partition_index=partition,
                committed_offset=committed.offset,
                committed_metadata=committed.metadata,
            )
            for (_, partition), committed in lines
        ]
        yield OffsetCommitRequestTopic(name=topic, partitions=partitions)


def _codes(answer: Any) -> Iterator[int]:
    return (each.error_code for topic in answer.topics for each in topic.partitions)


def _first_code(answer: Any) -> int:
    return next(_codes(answer), 0)


def _refusals(results: Iterable[Any]) -> str:
    """What was refused, each reason once; "" if nothing was."""
    refused = [each for each in results if each.error_code]
    return "; ".join(dict.fromkeys(r.error_message or name_of(r.error_code) for r in refused))


DO: Final[Mapping[tuple[Subject, Action], Callable[[Cluster, Step], Awaitable[str]]]] = {
    (Subject.TOPIC, Action.CREATE): _create,
    (Subject.TOPIC, Action.GROW): _grow,
    (Subject.GROUP, Action.COMMIT): _commit,
    (Subject.ACLS, Action.CREATE): _allow,
}
"""What is done for the steps that do something."""
