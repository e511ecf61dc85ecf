"""IncrementalAlterConfigs (44): changes settings of groups; topics and brokers have none to
change."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from groups.catalogue.cache import Unavailable
from groups.core.configs import topic
from groups.core.configs.entries import Change, ConfigOperation
from groups.core.configs.group import check_form
from groups.core.errors import ErrorCode, Refuse
from groups.core.topics import check_name
from protocol.handlers.support import config_resources
from protocol.handlers.support.config_resources import Resource, Topics
from protocol.handlers.support.wire_codes import WireCode
from protocol.requests.call import Call
from rollcall.wire.messages.incremental_alter_configs import (
    AlterConfigsResource,
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)

TWICE = "The request names this resource more than once."
NO_DEFAULT = "There is no default for all topics."
UNSURE = "The database did not answer; the change may have been made or not."


async def handle(
    request: IncrementalAlterConfigsRequest, call: Call
) -> IncrementalAlterConfigsResponse:
    """Each resource independently: all its changes or none. Those of groups in one transaction."""
    times = Counter((r.resource_type, r.resource_name) for r in request.resources)
    refused: dict[tuple[int, str], Refusal] = {}
    groups: dict[str, list[Change]] = {}
    topics = await config_resources.topics(request.resources, call)
    async for resource in call.each(request.resources):
        at = resource.resource_type, resource.resource_name
        try:
            if times[at] > 1:
                raise Refuse(ErrorCode.INVALID_REQUEST, TWICE)
            if _is_group(resource, topics, call):
                groups[resource.resource_name] = _changes(resource)
        except Refuse as refusal:
            refused[at] = Refusal(refusal.code, refusal.detail)
    of_groups = await _alter(groups, request.validate_only, call)
    refused |= {(Resource.GROUP, name): why for name, why in of_groups.items()}
    return IncrementalAlterConfigsResponse(
        responses=[
            _response(r, refused.get((r.resource_type, r.resource_name), DONE))
            for r in request.resources
        ]
    )


class Refusal(NamedTuple):
    """Why the resource was not changed."""

    code: int
    detail: str | None


DONE = Refusal(ErrorCode.NONE, None)


def _response(resource: AlterConfigsResource, refusal: Refusal) -> AlterConfigsResourceResponse:
    return AlterConfigsResourceResponse(
        error_code=refusal.code,
        error_message=refusal.detail,
        resource_type=resource.resource_type,
        resource_name=resource.resource_name,
    )


def _changes(resource: AlterConfigsResource) -> list[Change]:
    return [Change(c.name, c.config_operation, c.value) for c in resource.configs]


def _is_group(resource: AlterConfigsResource, topics: Topics, call: Call) -> bool:
    """Whether the resource is a group; only groups can be changed."""
    name = resource.resource_name
    match config_resources.kind(resource.resource_type):
        case Resource.TOPIC:
            if not name:
                raise Refuse(ErrorCode.INVALID_REQUEST, NO_DEFAULT)
            check_form(_changes(resource))  # Kafka's order: checks without a look-up first
            check_name(name)
            topic.check_names(_changes(resource))
            topics.check(name)
            topic.check(_changes(resource))
        case Resource.BROKER:
            config_resources.is_default_broker(name, call)
            _check_broker(_changes(resource), call)
        case Resource.GROUP:
            config_resources.check_group(name, call)
            return True
    return False


async def _alter(
    groups: Mapping[str, Sequence[Change]], validate_only: bool, call: Call
) -> Mapping[str, Refusal]:
    if not groups:
        return {}
    who, configs = call.author.details(), call.node.configs
    try:
        refused = await configs.alter(groups, who, validate_only=validate_only)
    except Unavailable:
        return dict.fromkeys(groups, Refusal(WireCode.REQUEST_TIMED_OUT, UNSURE))
    return {name: Refusal(refusal.code, refusal.detail) for name, refusal in refused.items()}


def _check_broker(changes: Sequence[Change], call: Call) -> None:
    """A node's settings do not change while it runs. Deleting a setting that is not set changes
    nothing."""
    check_form(changes)
    for change in changes:
        if change.name not in call.node.configs.broker:
            raise Refuse(ErrorCode.INVALID_CONFIG, f"Unknown broker config name: {change.name}")
        if change.operation != ConfigOperation.DELETE:
            detail = f"{change.name} cannot be changed while a node runs."
            raise Refuse(ErrorCode.INVALID_REQUEST, detail)
