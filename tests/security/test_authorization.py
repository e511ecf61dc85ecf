"""Who may do what on the Kafka port: every API and version, against the table that says it."""

from collections.abc import Iterable
from typing import Any

from groups.core.acls.bindings import (
    CLUSTER_NAME,
    OPERATIONS,
    AclOperation,
    Binding,
    PatternType,
    Permission,
    ResourceType,
)
from groups.core.errors import ErrorCode
from protocol.apis import APIS
from protocol.authorization import page
from protocol.authorization.table import BY_KEY, NEEDS, Need
from protocol.draft_apis import DRAFT_APIS
from protocol.requests.api_row import Api
from rollcall.wire.messages.delete_topics import DeleteTopicsRequest
from rollcall.wire.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from rollcall.wire.messages.describe_topic_partitions import (
    Cursor,
    DescribeTopicPartitionsRequest,
    TopicRequest,
)
from rollcall.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from rollcall.wire.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from tests.security.asking import ERRORS, Tenant, Variant, codes, made
from tests.security.door import ANN, BY_REQUEST, REFUSED, Door, every_case
from tests.security.test_records import NOTHING, RECORDS

DELETE_TOPICS, DESCRIBE_CONFIGS, DESCRIBE_TOPIC_PARTITIONS = 20, 32, 75


def grant(need: Need, tenant: Tenant) -> Binding:
    """What exactly this need requires."""
    is_cluster = need.resource is ResourceType.CLUSTER
    name = CLUSTER_NAME if is_cluster else f"{tenant.name}-"
    pattern = PatternType.LITERAL if is_cluster else PatternType.PREFIXED
    return Binding(need.resource, name, pattern, ANN, "*", need.operation, Permission.ALLOW)


def due(api: Api, request: Any, variant: Variant, version: int) -> list[Need]:
    """The needs that such a request has."""
    found = []
    for need in NEEDS[api.request].needs:
        if need.in_handler:
            if need.note in variant.judges:
                found.append(need)
            continue
        here = [f for f in api.request.wire_fields if f.name == need.head and f.present(version)]
        if need.head and not here:
            continue
        value = getattr(request, need.head) if need.head else None
        item = value[0] if isinstance(value, list) and value else value
        if (value not in (None, [], "") and need.when(request, item)) or not need.head:
            found.append(need)
    return found


def test_every_api_has_a_row_and_every_row_an_api() -> None:
    """Private ones and those of the draft included."""
    assert set(BY_REQUEST) == set(NEEDS)
    assert {api.request for api in DRAFT_APIS.values()} <= set(NEEDS)


def test_each_need_names_an_existing_field_and_operation() -> None:
    for request, row in NEEDS.items():
        for need in row.needs:
            assert need.operation in OPERATIONS[need.resource], (request, need)
            assert not need.head or need.head in {f.name for f in request.wire_fields}, need
            answers = {f.name for f in BY_REQUEST[request][1].response.wire_fields}
            assert not need.answer or need.answer_lists[1] in answers, (request, need)


LIVENESS = {12, 10001, 10010}
"""Heartbeat, PollCommands, PrepareAssignment: what they change is forgotten with the member."""


def test_the_page_of_changes_matches_the_recorded_ones() -> None:
    """So also of an anonymous client, where no authorizer is on (docs/acls.md)."""
    changing = {key for key, row in BY_KEY.items() if row.changes}
    assert changing - LIVENESS == {key for key, kept in RECORDS.items() if kept is not NOTHING}


OFFSET_COMMIT, OFFSET_DELETE = 8, 47


async def give_group(door: Door, tenant: Tenant) -> None:
    """It is there, without members: OffsetDelete of no group fails as a whole."""
    door.allow([], ANN)
    api = APIS[OFFSET_COMMIT]
    partition = OffsetCommitRequestPartition(partition_index=0, committed_offset=7)
    topics = [OffsetCommitRequestTopic(name=tenant.topic, partitions=[partition])]
    request = OffsetCommitRequest(group_id=tenant.group, topics=topics)
    assert set(codes(await door.ask(api, request, api.max_version - 2))) == {0}


async def test_every_api_requires_exactly_what_the_table_says(door: Door) -> None:
    """With its needs alone a request is let in; without any of them it is not, in the first
    version and in the last."""
    faults = list[Any]()
    for case in every_case():
        where, api, variant = case.values
        for version in sorted({api.min_version, api.max_version}):
            tenant = door.tenant("anna")
            if api.key == OFFSET_DELETE:
                await give_group(door, tenant)
            request = made(api.request, version, tenant, variant)
            needs = due(api, request, variant, version)
            door.allow([grant(need, tenant) for need in needs])
            answer = await door.ask(api, request, version, where)
            if REFUSED & set(codes(answer)):
                faults.append((case.id, version, "was refused", answer))
            for missing in needs:
                left = [grant(need, tenant) for need in needs if need is not missing]
                fault = await _not_refused(door, case, version, missing, left)
                faults += [(case.id, version, missing, fault)] if fault is not None else []
    assert not faults


async def _not_refused(
    door: Door, case: Any, version: int, missing: Need, left: Iterable[Binding]
) -> Any:
    """An answer that neither refuses nor hides; None: it does."""
    where, api, variant = case.values
    tenant = door.tenant("anna")
    if api.key == OFFSET_DELETE:
        await give_group(door, tenant)
    request = made(api.request, version, tenant, variant)
    door.allow(left)
    answer = await door.ask(api, request, version, where)
    refused = set(codes(answer)) & REFUSED
    is_hidden = tenant.called(missing.resource.name) not in repr(answer)
    if refused == {api.number_of(ERRORS[missing.resource.name])}:
        return None
    return None if missing.in_handler and is_hidden and not refused else answer


async def test_an_api_that_fails_as_a_whole_names_no_refused_resource(door: Door) -> None:
    """As Kafka's OffsetDelete, which reports a missing group and no topic."""
    tenant, api = door.tenant("anna"), APIS[OFFSET_DELETE]
    own, other = (
        OffsetDeleteRequestTopic(
            name=name, partitions=[OffsetDeleteRequestPartition(partition_index=0)]
        )
        for name in (tenant.topic, "another")
    )
    request = OffsetDeleteRequest(group_id=tenant.group, topics=[own, other])
    whole, topic = NEEDS[api.request].needs
    door.allow([grant(whole, tenant), grant(topic, tenant)])
    answer = await door.ask(api, request, 0)
    assert (answer.error_code, answer.topics) == (ErrorCode.GROUP_ID_NOT_FOUND, [])


async def test_who_may_do_everything_on_the_cluster_may_delete_topics(door: Door) -> None:
    """As in Kafka, where the operation has no other meaning there."""
    everything = (CLUSTER_NAME, PatternType.LITERAL, ANN, "*", AclOperation.ALL, Permission.ALLOW)
    door.allow([Binding(ResourceType.CLUSTER, *everything)])
    request = DeleteTopicsRequest(topic_names=["nowhere"], timeout_ms=5_000)
    answer = await door.ask(APIS[DELETE_TOPICS], request, 4)
    assert [r.error_code for r in answer.responses] == [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]


async def test_resources_without_a_configuration_here_need_the_right_that_kafka_needs(
    door: Door,
) -> None:
    """Loggers of brokers and client metrics: whoever may not ask is told that, and no more."""
    door.allow([])
    resources = [
        DescribeConfigsResource(resource_type=number, resource_name="1", configuration_keys=None)
        for number in (8, 16)
    ]
    answer = await door.ask(APIS[DESCRIBE_CONFIGS], DescribeConfigsRequest(resources=resources), 4)
    refused = ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    assert [r.error_code for r in answer.results] == [refused, refused]


async def test_a_page_of_topics_refuses_only_those_from_its_cursor_on(door: Door) -> None:
    door.allow([])
    request = DescribeTopicPartitionsRequest(
        topics=[TopicRequest(name=name) for name in ("anna-topic", "ben-topic")],
        cursor=Cursor(topic_name="ben-topic", partition_index=0),
    )
    answer = await door.ask(APIS[DESCRIBE_TOPIC_PARTITIONS], request, 0)
    assert [topic.name for topic in answer.topics] == ["ben-topic"]


def test_the_page_matches_the_table() -> None:
    """After a change: ``python -m protocol.authorization.page``, and review the difference."""
    assert page.PAGE.read_text() == page.written(page.PAGE.read_text())
