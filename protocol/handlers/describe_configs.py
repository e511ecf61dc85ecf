"""DescribeConfigs (32): settings of topics, of this broker, and of groups."""

from collections.abc import Mapping, Sequence

from groups.catalogue.cache import Unavailable
from groups.core.configs import group, topic
from groups.core.configs.entries import ConfigEntry
from groups.core.configs.group import Values
from groups.core.errors import ErrorCode, Refuse
from protocol.handlers.support import config_resources
from protocol.handlers.support.config_resources import Resource, Topics
from protocol.requests.call import Call
from rollcall.wire.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)


async def handle(request: DescribeConfigsRequest, call: Call) -> DescribeConfigsResponse:
    """Each resource independently, and once even if it is named twice. The groups' own settings and
    the topics are read once for all resources."""
    if any(r.resource_type not in config_resources.KAFKAS for r in request.resources):
        return _refused(request)
    resources = list({(r.resource_type, r.resource_name): r for r in request.resources}.values())
    own = await _own(resources, call)
    topics = await config_resources.topics(resources, call)
    results = [_result(each, own, topics, request, call) async for each in call.each(resources)]
    return DescribeConfigsResponse(results=results)


def _refused(request: DescribeConfigsRequest) -> DescribeConfigsResponse:
    """As in Kafka: if one resource has an unknown type, none is described."""
    return DescribeConfigsResponse(
        results=[
            DescribeConfigsResult(
                error_code=ErrorCode.INVALID_REQUEST,
                error_message="The request names a resource of an unknown type.",
                resource_type=resource.resource_type,
                resource_name=resource.resource_name,
            )
            for resource in request.resources
        ]
    )


async def _own(
    resources: Sequence[DescribeConfigsResource], call: Call
) -> Mapping[str, Values] | None:
    """The groups' own settings; None if the rows could not be read."""
    names = {r.resource_name for r in resources if r.resource_type == Resource.GROUP}
    try:
        return await call.node.configs.of([n for n in names if config_resources.is_group(n, call)])
    except Unavailable:
        return None


def _result(
    resource: DescribeConfigsResource,
    own: Mapping[str, Values] | None,
    topics: Topics,
    request: DescribeConfigsRequest,
    call: Call,
) -> DescribeConfigsResult:
    code, message, entries = ErrorCode.NONE, "", list[ConfigEntry]()
    try:
        entries = [*_entries(resource, own, topics, call)]
    except Refuse as refusal:
        code, message = refusal.code, refusal.detail or ""
    keys = set(resource.configuration_keys or ())
    return DescribeConfigsResult(
        error_code=code,
        error_message=message,
        resource_type=resource.resource_type,
        resource_name=resource.resource_name,
        configs=[_config(e, request) for e in entries if not keys or e.name in keys],
    )


def _entries(
    resource: DescribeConfigsResource,
    own: Mapping[str, Values] | None,
    topics: Topics,
    call: Call,
) -> Sequence[ConfigEntry]:
    name, broker = resource.resource_name, call.node.configs.broker
    match config_resources.kind(resource.resource_type):
        case Resource.TOPIC:
            topics.check(name)
            return topic.entries()
        case Resource.BROKER:
            # No setting can be set for all brokers: each has those with which it was started.
            is_default = config_resources.is_default_broker(name, call)
            return [] if is_default else [config.entry for config in broker.values()]
        case Resource.GROUP:
            config_resources.check_group(name, call)
            if own is None:
                raise Refuse(ErrorCode.COORDINATOR_NOT_AVAILABLE, config_resources.UNSURE)
            return group.entries(own.get(name, {}), broker)


def _config(entry: ConfigEntry, request: DescribeConfigsRequest) -> DescribeConfigsResourceResult:
    synonyms = entry.synonyms if request.include_synonyms else ()
    return DescribeConfigsResourceResult(
        name=entry.name,
        value=entry.value,
        read_only=entry.is_read_only,
        config_source=entry.source,
        is_sensitive=False,
        synonyms=[
            DescribeConfigsSynonym(name=s.name, value=s.value, source=s.source) for s in synonyms
        ],
        config_type=entry.type,
        documentation=entry.documentation if request.include_documentation else None,
    )
