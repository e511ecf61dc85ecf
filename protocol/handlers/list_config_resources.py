"""ListConfigResources (74): topics, nodes, and groups with settings of their own (KIP-1142)."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

from groups.catalogue.cache import Unavailable
from groups.core.errors import ErrorCode
from protocol.handlers.support.config_resources import KAFKAS, Resource
from protocol.requests.call import Call
from rollcall.wire.messages.list_config_resources import (
    ConfigResource,
    ListConfigResourcesRequest,
    ListConfigResourcesResponse,
)

TYPES_SINCE = 1
"""Version 0 lists client metrics, of which there are none here, as there are no loggers."""


async def handle(request: ListConfigResourcesRequest, call: Call) -> ListConfigResourcesResponse:
    """All resources of the requested types; UNSUPPORTED_VERSION for a type that Kafka does not
    have."""
    if call.version < TYPES_SINCE:
        return ListConfigResourcesResponse()
    types = set(request.resource_types or KAFKAS)
    if not types <= KAFKAS:
        return ListConfigResourcesResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)
    found: list[ConfigResource] = []
    try:
        for kind in sorted(types & LISTS.keys()):
            async for name in call.each(await LISTS[kind](call)):
                found.append(ConfigResource(resource_name=name, resource_type=kind))
    except Unavailable:
        return ListConfigResourcesResponse(error_code=ErrorCode.COORDINATOR_NOT_AVAILABLE)
    return ListConfigResourcesResponse(config_resources=found)


async def _topics(call: Call) -> Sequence[str]:
    return [entry.name for entry in call.node.catalogue.all()]


async def _nodes(call: Call) -> Sequence[str]:
    return [str(node_id) for node_id in call.reachable()]


async def _groups(call: Call) -> Sequence[str]:
    return await call.node.configs.listed()


LISTS: Final[Mapping[int, Callable[[Call], Awaitable[Sequence[str]]]]] = {
    Resource.TOPIC: _topics,
    Resource.BROKER: _nodes,
    Resource.GROUP: _groups,
}
