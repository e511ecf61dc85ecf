"""ListConfigResources: what has a configuration (KIP-1142; version 0 is of KIP-714)."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, int8, int16, int32, string


@message(api_key=74, versions="0-1", flexible="0+")
class ListConfigResourcesRequest(Message):
    """The types that are asked for; none: all. Version 0 asks for client metrics (16)."""

    resource_types: Sequence[int] = wire(array(int8), since=1)


@struct
class ConfigResource(Struct):
    """A resource."""

    resource_name: str = wire(string)
    resource_type: int = wire(int8, since=1, default=16)


@message(api_key=74, versions="0-1", flexible="0+")
class ListConfigResourcesResponse(Message):
    """All resources of these types."""

    throttle_time_ms: int = wire(int32)
    error_code: int = wire(int16)
    config_resources: Sequence[ConfigResource] = wire(array(ConfigResource))
