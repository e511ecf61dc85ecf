"""RegisterConsumer: a consumer offers its threads to a commanded group.

A private API (Kafka does not use keys from 10000 on): docs/commanded.md.
"""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, int8, int16, int32, int64, string


@struct
class TopicThreads(Struct):
    """The number of threads for one topic."""

    name: str = wire(string)
    threads: int = wire(int32, default=1)


@message(api_key=10000, versions="0", flexible="0+")
class RegisterConsumerRequest(Message):
    """Threads for topics by name, or for all topics that match a filter; never both.

    ``filter_type`` 0: by name; 1: topics whose names the pattern matches as a whole (white_list);
    2: topics whose names it does not match (black_list). ``generation_id`` is that of the
    partitions on which the consumer still works, -1 if there are none.
    """

    group_id: str = wire(string)
    consumer_id: str = wire(string)
    generation_id: int = wire(int32, default=-1)
    session_timeout_ms: int = wire(int32)
    topics: Sequence[TopicThreads] = wire(array(TopicThreads))
    filter_type: int = wire(int8)
    pattern: str | None = wire(string, default=None)
    pattern_threads: int = wire(int32, default=1)


@message(api_key=10000, versions="0", flexible="0+")
class RegisterConsumerResponse(Message):
    """The consumer's id; its commands will have greater ids than ``last_command_id``."""

    throttle_time_ms: int = wire(int32)
    error_code: int = wire(int16)
    error_message: str | None = wire(string, default=None)
    consumer_id: str = wire(string)
    generation_id: int = wire(int32, default=-1)
    last_command_id: int = wire(int64)
