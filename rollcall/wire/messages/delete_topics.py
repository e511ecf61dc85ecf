"""DeleteTopics: remove topics, by name or, from version 6 on, by id (KIP-516)."""

from collections.abc import Sequence
from uuid import UUID

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, int16, int32, string, uuid


@struct
class DeleteTopicState(Struct):
    """A topic by its name or its id."""

    name: str | None = wire(string, default=None)
    topic_id: UUID = wire(uuid)


@message(api_key=20, versions="1-6", flexible="4+")
class DeleteTopicsRequest(Message):
    """The topics to remove."""

    topics: Sequence[DeleteTopicState] = wire(array(DeleteTopicState), since=6)
    topic_names: Sequence[str] = wire(array(string), until=5)
    timeout_ms: int = wire(int32)


@struct
class DeletableTopicResult(Struct):
    """The result for one topic."""

    name: str | None = wire(string, nullable_since=6)
    topic_id: UUID = wire(uuid, since=6)
    error_code: int = wire(int16)
    error_message: str | None = wire(string, since=5, default=None)


@message(api_key=20, versions="1-6", flexible="4+")
class DeleteTopicsResponse(Message):
    """The result for each topic."""

    throttle_time_ms: int = wire(int32)
    responses: Sequence[DeletableTopicResult] = wire(array(DeletableTopicResult))
