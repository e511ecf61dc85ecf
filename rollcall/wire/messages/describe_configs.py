"""DescribeConfigs: settings of topics, brokers and groups, with their sources and meaning."""

from collections.abc import Sequence

from rollcall.wire.declare import Message, message, struct, wire
from rollcall.wire.kinds import Struct, array, boolean, int8, int16, int32, string


@struct
class DescribeConfigsResource(Struct):
    """A resource, and the requested names: null for all of them."""

    resource_type: int = wire(int8)
    resource_name: str = wire(string)
    configuration_keys: Sequence[str] | None = wire(array(string), nullable_since=0)


@message(api_key=32, versions="1-4", flexible="4+")
class DescribeConfigsRequest(Message):
    """The resources to describe."""

    resources: Sequence[DescribeConfigsResource] = wire(array(DescribeConfigsResource))
    include_synonyms: bool = wire(boolean)  # KIP-226
    include_documentation: bool = wire(boolean, since=3)  # KIP-569


@struct
class DescribeConfigsSynonym(Struct):
    """A name under which the value can be set, by precedence."""

    name: str = wire(string)
    value: str | None = wire(string, nullable_since=0)
    source: int = wire(int8)


@struct
class DescribeConfigsResourceResult(Struct):
    """One setting."""

    name: str = wire(string)
    value: str | None = wire(string, nullable_since=0)
    read_only: bool = wire(boolean)
    config_source: int = wire(int8, default=-1)
    is_sensitive: bool = wire(boolean)
    synonyms: Sequence[DescribeConfigsSynonym] = wire(array(DescribeConfigsSynonym))
    config_type: int = wire(int8, since=3)
    documentation: str | None = wire(string, since=3, nullable_since=3)


@struct
class DescribeConfigsResult(Struct):
    """One resource's settings, or the error."""

    error_code: int = wire(int16)
    error_message: str | None = wire(string, nullable_since=0)
    resource_type: int = wire(int8)
    resource_name: str = wire(string)
    configs: Sequence[DescribeConfigsResourceResult] = wire(array(DescribeConfigsResourceResult))


@message(api_key=32, versions="1-4", flexible="4+")
class DescribeConfigsResponse(Message):
    """A result for each resource."""

    throttle_time_ms: int = wire(int32)
    results: Sequence[DescribeConfigsResult] = wire(array(DescribeConfigsResult))
