"""CreateTopics (19): add rows to the catalogue; each topic succeeds or fails alone."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from groups.catalogue.cache import CatalogueEntry, Unavailable
from groups.core.acls.bindings import AclOperation, ResourceType
from groups.core.configs.topic import check_new, entries
from groups.core.errors import ErrorCode, Refuse
from groups.core.topics import (
    PARTITIONS_MAX,
    PARTITIONS_PER_REQUEST_MAX,
    check_name,
    partitions_of_new,
)
from protocol.handlers.support.kafkas_words import TOPIC_EXISTS, TOPIC_TWICE
from protocol.handlers.support.wire_codes import WireCode
from protocol.requests.call import Call
from rollcall.wire.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfigs,
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)

TOO_LARGE = (
    f"A request creates at most {PARTITIONS_PER_REQUEST_MAX} partitions, and at most"
    f" {PARTITIONS_MAX} of one topic."
)
UNSURE = "The database did not answer; the topic may have been created or not."


async def handle(request: CreateTopicsRequest, call: Call) -> CreateTopicsResponse:
    """Validate each topic, create the valid ones together, and return each one's result."""
    times = Counter(topic.name for topic in request.topics)
    once = [topic for topic in request.topics if times[topic.name] == 1]
    if _is_too_large(_partition_counts(once, call.node.settings.num_partitions)):
        return CreateTopicsResponse(
            topics=[_failed(t.name, ErrorCode.POLICY_VIOLATION, TOO_LARGE) for t in request.topics]
        )
    results: dict[str, CreatableTopicResult] = {}
    counts: dict[str, int] = {}
    room = call.node.catalogue.room()
    for topic in {topic.name: topic for topic in request.topics}.values():
        try:
            partitions = room.take(_partitions(topic, times, call))
            call.change_topics(partitions)
            counts[topic.name] = partitions
        except Refuse as refusal:
            results[topic.name] = _failed(topic.name, refusal.code, refusal.detail)
    results |= await _create(counts, request.validate_only, call)
    return CreateTopicsResponse(topics=[results[name] for name in times])


def _partition_counts(topics: Iterable[CreatableTopic], default: int) -> list[int]:
    """The number of partitions of each topic; 0 where it is invalid."""
    counts = (
        len(topic.assignments) or (default if topic.num_partitions == -1 else topic.num_partitions)
        for topic in topics
    )
    return [max(count, 0) for count in counts]


def _is_too_large(counts: Sequence[int]) -> bool:
    """A topic that is too large by itself fails the request, as with Kafka."""
    return max(counts, default=0) > PARTITIONS_MAX or sum(counts) > PARTITIONS_PER_REQUEST_MAX


def _partitions(topic: CreatableTopic, times: Mapping[str, int], call: Call) -> int:
    if times[topic.name] > 1:
        raise Refuse(ErrorCode.INVALID_REQUEST, TOPIC_TWICE)
    check_name(topic.name)
    if call.node.catalogue.get(topic.name) is not None:
        raise Refuse(ErrorCode.TOPIC_ALREADY_EXISTS, TOPIC_EXISTS.format(topic.name))
    check_new({config.name: config.value for config in topic.configs})
    return partitions_of_new(
        topic.num_partitions,
        topic.replication_factor,
        [(assigned.partition_index, assigned.broker_ids) for assigned in topic.assignments],
        default=call.node.settings.num_partitions,
        brokers=[broker.node_id for broker in call.node.cluster.brokers],
    )


async def _create(
    counts: Mapping[str, int], validate_only: bool, call: Call
) -> dict[str, CreatableTopicResult]:
    """The results of the topics that passed; with ``validate_only`` nothing is written."""
    catalogue = call.node.catalogue
    try:
        if validate_only:
            there = await catalogue.find_many(counts)
            created = {
                n: CatalogueEntry(n, NO_ID, count) for n, count in counts.items() if n not in there
            }
        else:
            created = (
                dict(await catalogue.create_many(counts, call.author.details())) if counts else {}
            )
    except Unavailable:
        return {name: _failed(name, WireCode.REQUEST_TIMED_OUT, UNSURE) for name in counts}
    return {
        name: _created(created[name], call)
        if name in created
        else _failed(name, ErrorCode.TOPIC_ALREADY_EXISTS, TOPIC_EXISTS.format(name))
        for name in counts
    }


NO_ID = CreatableTopicResult().topic_id
"""The id of a topic that was only validated."""


CONFIGS = [
    CreatableTopicConfigs(
        name=entry.name,
        value=entry.value,
        read_only=entry.is_read_only,
        config_source=entry.source,
        is_sensitive=False,
    )
    for entry in entries()
]
"""The settings of a new topic, as in DescribeConfigs."""


def _created(entry: CatalogueEntry, call: Call) -> CreatableTopicResult:
    shows = call.access.may(AclOperation.DESCRIBE_CONFIGS, ResourceType.TOPIC, entry.name)
    return CreatableTopicResult(
        name=entry.name,
        topic_id=entry.topic_id,
        error_message=None,
        num_partitions=entry.partitions if shows else -1,
        replication_factor=1 if shows else -1,
        configs=CONFIGS if shows else None,
        topic_config_error_code=0 if shows else ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    )


def _failed(name: str, code: int, message: str | None) -> CreatableTopicResult:
    return CreatableTopicResult(name=name, error_code=code, error_message=message)
