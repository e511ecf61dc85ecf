"""FindCoordinator: which broker coordinates a group; since version 4, several (KIP-699)."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, int8, int16, int32, string


@message(api_key=10, versions="0-6", flexible="3+")
class FindCoordinatorRequest(Message):
    """The groups or transactional ids whose coordinator is requested."""

    key: str = wire(string, until=3)
    key_type: int = wire(int8, since=1)  # 0: a group, 1: a transactional id
    coordinator_keys: Sequence[str] = wire(array(string), since=4)


@struct
class Coordinator(Struct):
    """The coordinator of one key, or the error."""

    key: str = wire(string)
    node_id: int = wire(int32)
    host: str = wire(string)
    port: int = wire(int32)
    error_code: int = wire(int16)
    error_message: str | None = wire(string, nullable_since=0)


@message(api_key=10, versions="0-6", flexible="3+")
class FindCoordinatorResponse(Message):
    """The coordinator, or one per key."""

    throttle_time_ms: int = wire(int32, since=1)
    error_code: int = wire(int16, until=3)
    error_message: str | None = wire(string, since=1, until=3, nullable_since=1)
    node_id: int = wire(int32, until=3)
    host: str = wire(string, until=3)
    port: int = wire(int32, until=3)
    coordinators: Sequence[Coordinator] = wire(array(Coordinator), since=4)
