"""DeleteTopics (20): by name, and from v6 by id too (KIP-516).

The offsets that groups committed for a topic are deleted with it
(docs/decisions/0002-topic-deletion.md).
"""

from collections import Counter
from collections.abc import Collection
from typing import NamedTuple
from uuid import UUID

from groups.catalogue.cache import CatalogueEntry, Unavailable
from groups.core.errors import ErrorCode, Refuse
from protocol.handlers.support.kafkas_words import (
    NAME_AND_ID,
    NAME_OF_ID,
    NO_SUCH_TOPIC,
    NO_SUCH_TOPIC_ID,
    TOPIC_TWICE,
)
from protocol.handlers.support.wire_codes import WireCode
from protocol.requests.call import Call
from rollcall.wire.messages.delete_topics import (
    DeletableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
)

BY_ID_SINCE = 6
NO_ID = UUID(int=0)

NAME_OR_ID = "A topic is named either by its name or by its id."
UNSURE = "The database did not answer; the topic may have been deleted or not."


class RequestedTopic(NamedTuple):
    """One topic as the request names it."""

    name: str | None
    topic_id: UUID = NO_ID


async def handle(request: DeleteTopicsRequest, call: Call) -> DeleteTopicsResponse:
    """Delete the topics one after the other, each in its own transaction."""
    if call.version >= BY_ID_SINCE:
        requested = [RequestedTopic(topic.name, topic.topic_id) for topic in request.topics]
    else:
        requested = [RequestedTopic(name) for name in request.topic_names]
    times = Counter(requested)
    twice = _by_name_and_id(times, call)
    answers = [await _answer(topic, times, twice, call) for topic in times]
    return DeleteTopicsResponse(responses=answers)


def _by_name_and_id(topics: Collection[RequestedTopic], call: Call) -> Collection[UUID]:
    """The ids of topics that are named in both ways: as in Kafka, such a one is not deleted."""
    names = (topic.name for topic in topics if topic.topic_id == NO_ID and topic.name is not None)
    named = call.node.catalogue.known(names)
    by_id = {topic.topic_id for topic in topics if topic.name is None}
    return by_id & {entry.topic_id for entry in named.values()}


async def _answer(
    topic: RequestedTopic, times: Counter[RequestedTopic], twice: Collection[UUID], call: Call
) -> DeletableTopicResult:
    entry: CatalogueEntry | None = None
    code: int = ErrorCode.NONE
    message: str | None = None
    try:
        _check_form(topic, times)
        entry = await _find(topic, call)
        if entry.topic_id in twice:
            raise Refuse(ErrorCode.INVALID_REQUEST, NAME_OF_ID)
        call.change_topics(entry.partitions)
        await call.node.catalogue.delete(entry.name, entry.topic_id, call.author.details())
    except Refuse as refusal:
        code, message = refusal.code, refusal.detail
    except Unavailable:
        code, message = WireCode.REQUEST_TIMED_OUT, UNSURE
    name, topic_id = topic if entry is None else (entry.name, entry.topic_id)
    return DeletableTopicResult(
        name=name, topic_id=topic_id, error_code=code, error_message=message
    )


def _check_form(topic: RequestedTopic, times: Counter[RequestedTopic]) -> None:
    if (topic.name is None) == (topic.topic_id == NO_ID):
        detail = NAME_OR_ID if topic.name is None else NAME_AND_ID
        raise Refuse(ErrorCode.INVALID_REQUEST, detail)
    if times[topic] > 1:
        raise Refuse(ErrorCode.INVALID_REQUEST, TOPIC_TWICE)


async def _find(topic: RequestedTopic, call: Call) -> CatalogueEntry:
    catalogue = call.node.catalogue
    if topic.name is not None:
        entry = await catalogue.find(topic.name)
        if entry is None:
            raise Refuse(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, NO_SUCH_TOPIC)
        return entry
    found = await catalogue.find_many_by_id((topic.topic_id,))
    if topic.topic_id not in found:
        raise Refuse(ErrorCode.UNKNOWN_TOPIC_ID, NO_SUCH_TOPIC_ID)
    return found[topic.topic_id]
