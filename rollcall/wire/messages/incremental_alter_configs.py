"""IncrementalAlterConfigs: change single settings of topics, brokers and groups (KIP-339)."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, boolean, int8, int16, int32, string


@struct
class AlterableConfig(Struct):
    """One change: set (0), delete (1), append to (2) or subtract from (3) a list."""

    name: str = wire(string)
    config_operation: int = wire(int8)
    value: str | None = wire(string, nullable_since=0)


@struct
class AlterConfigsResource(Struct):
    """The changes of one resource: all of them, or none."""

    resource_type: int = wire(int8)
    resource_name: str = wire(string)
    configs: Sequence[AlterableConfig] = wire(array(AlterableConfig))


@message(api_key=44, versions="0-1", flexible="1+")
class IncrementalAlterConfigsRequest(Message):
    """The resources to change."""

    resources: Sequence[AlterConfigsResource] = wire(array(AlterConfigsResource))
    validate_only: bool = wire(boolean)


@struct
class AlterConfigsResourceResponse(Struct):
    """The result for one resource."""

    error_code: int = wire(int16)
    error_message: str | None = wire(string, nullable_since=0)
    resource_type: int = wire(int8)
    resource_name: str = wire(string)


@message(api_key=44, versions="0-1", flexible="1+")
class IncrementalAlterConfigsResponse(Message):
    """A result for each resource."""

    throttle_time_ms: int = wire(int32)
    responses: Sequence[AlterConfigsResourceResponse] = wire(array(AlterConfigsResourceResponse))
