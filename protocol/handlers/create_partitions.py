"""CreatePartitions (37): add partitions to a topic; their number never decreases."""

from collections import Counter

from groups.catalogue.cache import Unavailable, unknown_topic
from groups.core.errors import ErrorCode, Refuse
from groups.core.topics import check_assignments, check_growth
from protocol.handlers.support.kafkas_words import TOPIC_TWICE
from protocol.handlers.support.wire_codes import WireCode
from protocol.requests.call import Call
from rollcall.wire.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
    CreatePartitionsTopicResult,
)

UNSURE = "The database did not answer; the topic may have grown or not."


async def handle(request: CreatePartitionsRequest, call: Call) -> CreatePartitionsResponse:
    """Each topic independently; with ``validate_only`` nothing is written."""
    times = Counter(topic.name for topic in request.topics)
    topics = {topic.name: topic for topic in request.topics}
    results = []
    for name, topic in topics.items():
        try:
            if times[name] > 1:
                raise Refuse(ErrorCode.INVALID_REQUEST, TOPIC_TWICE)
            await _grow(topic, request.validate_only, call)
            results.append(CreatePartitionsTopicResult(name=name))
        except Refuse as refusal:
            results.append(_failed(name, refusal.code, refusal.detail))
        except Unavailable:
            results.append(_failed(name, WireCode.REQUEST_TIMED_OUT, UNSURE))
    return CreatePartitionsResponse(results=results)


async def _grow(topic: CreatePartitionsTopic, validate_only: bool, call: Call) -> None:
    catalogue = call.node.catalogue
    entry = await catalogue.find(topic.name)
    if entry is None:
        raise unknown_topic(topic.name)
    assigned = topic.assignments
    check_growth(entry.partitions, topic.count, None if assigned is None else len(assigned))
    if assigned is not None:
        brokers = [broker.node_id for broker in call.node.cluster.brokers]
        check_assignments((a.broker_ids for a in assigned), brokers)
    catalogue.room().grow(topic.count - entry.partitions)
    call.change_topics(topic.count - entry.partitions)
    if not validate_only:
        await catalogue.grow(topic.name, topic.count, call.author.details())


def _failed(name: str, code: int, message: str | None) -> CreatePartitionsTopicResult:
    return CreatePartitionsTopicResult(name=name, error_code=code, error_message=message)
