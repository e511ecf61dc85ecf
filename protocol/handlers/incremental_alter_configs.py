"""IncrementalAlterConfigs (44): groups have settings of their own; topics and brokers do not."""

from collections import Counter
from collections.abc import Sequence

from groups.catalogue import Unavailable
from groups.core import topic_configs
from groups.core.configs import Change, Operation
from groups.core.errors import ErrorCode, Refuse
from groups.core.group_configs import check_form
from protocol.call import Call
from protocol.handlers import resources
from protocol.handlers.codes import WireCode
from protocol.handlers.resources import Resource
from protocol.messages.incremental_alter_configs import (
    AlterConfigsResource,
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)

TWICE = "The request names this resource more than once."
UNSURE = "The database did not answer; the change may have been made or not."


async def handle(
    request: IncrementalAlterConfigsRequest, call: Call
) -> IncrementalAlterConfigsResponse:
    """Each resource by itself: all of its changes, or none."""
    times = Counter((r.resource_type, r.resource_name) for r in request.resources)
    return IncrementalAlterConfigsResponse(
        responses=[
            await _response(resource, times, request.validate_only, call)
            async for resource in call.each(request.resources)
        ]
    )


async def _response(
    resource: AlterConfigsResource,
    times: Counter[tuple[int, str]],
    validate_only: bool,
    call: Call,
) -> AlterConfigsResourceResponse:
    code: int = ErrorCode.NONE
    message = None
    try:
        if times[resource.resource_type, resource.resource_name] > 1:
            raise Refuse(ErrorCode.INVALID_REQUEST, TWICE)
        await _alter(resource, validate_only, call)
    except Refuse as refusal:
        code, message = refusal.code, refusal.detail
    except Unavailable:
        code, message = WireCode.REQUEST_TIMED_OUT, UNSURE
    return AlterConfigsResourceResponse(
        error_code=code,
        error_message=message,
        resource_type=resource.resource_type,
        resource_name=resource.resource_name,
    )


async def _alter(resource: AlterConfigsResource, validate_only: bool, call: Call) -> None:
    name = resource.resource_name
    changes = [Change(c.name, c.config_operation, c.value) for c in resource.configs]
    match resources.kind(resource.resource_type):
        case Resource.TOPIC:
            await resources.check_topic(name, call)
            topic_configs.check(changes)
        case Resource.BROKER:
            resources.is_default_broker(name, call)
            _check_broker(changes, call)
        case Resource.GROUP:
            resources.check_group(name, call)
            who = call.author.told()
            await call.node.configs.alter(name, changes, who, validate_only=validate_only)


def _check_broker(changes: Sequence[Change], call: Call) -> None:
    """Nothing that a node was started with changes while it runs. Deleting what nobody has set
    changes nothing."""
    check_form(changes)
    for change in changes:
        if change.name not in call.node.configs.broker:
            raise Refuse(ErrorCode.INVALID_CONFIG, f"Unknown broker config name: {change.name}")
        if change.operation != Operation.DELETE:
            detail = f"{change.name} cannot be changed while a node runs."
            raise Refuse(ErrorCode.INVALID_REQUEST, detail)
