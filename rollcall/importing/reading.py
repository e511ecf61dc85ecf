"""Reads a snapshot of a cluster: what an import compares."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from rollcall.client.core.codes import Code, name_of
from rollcall.importing.cluster import Cluster, Unavailable
from rollcall.importing.snapshot import Committed, Group, Offsets, Rule, Snapshot
from rollcall.wire.messages.describe_acls import DescribeAclsRequest
from rollcall.wire.messages.list_groups import ListedGroup, ListGroupsRequest
from rollcall.wire.messages.metadata import MetadataRequest
from rollcall.wire.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup

SECURITY_DISABLED: Final = 54
"""No authorizer is configured."""

ANY: Final = 1
"""In a filter of access rules: every type, pattern, operation and permission."""


async def read(cluster: Cluster, is_wanted: Callable[[str], bool]) -> Snapshot:
    """Everything, but offsets only of wanted groups without members. Raises ``Unavailable``."""
    metadata = await cluster.ask(MetadataRequest(topics=None, allow_auto_topic_creation=False))
    topics = {
        topic.name: len(topic.partitions)
        for topic in metadata.topics
        if topic.name and not (topic.error_code or topic.is_internal)
    }
    listed: dict[str, ListedGroup] = {}
    for broker in metadata.brokers:
        answer = await cluster.ask(ListGroupsRequest(), (broker.host, broker.port))
        _check(cluster, "its groups cannot be listed", answer.error_code)
        listed.update((group.group_id, group) for group in answer.groups)
    groups = {
        name: await _group(cluster, group) for name, group in listed.items() if is_wanted(name)
    }
    return Snapshot(topics, groups, await _rules(cluster))


def _check(cluster: Cluster, what: str, code: int, message: str | None = None) -> None:
    if code:
        raise Unavailable(f"{cluster.name}: {what}: {message or name_of(code)}")


async def _group(cluster: Cluster, listed: ListedGroup) -> Group:
    group = Group(listed.group_type, listed.group_state, None)
    if group.is_live:
        return group
    name = listed.group_id
    request = OffsetFetchRequest(
        group_id=name,
        topics=None,
        groups=[OffsetFetchRequestGroup(group_id=name, topics=None)],
        require_stable=True,
    )
    answer = await cluster.of_group(name, request, _code)
    if code := _code(answer):
        return Group(group.kind, group.state, None, f"its offsets: {name_of(code)}")
    open_ones = [code for _, _, code in _partitions(answer) if code]
    if open_ones:
        why = "a transaction" if Code.UNSTABLE_OFFSET_COMMIT in open_ones else name_of(open_ones[0])
        return Group(group.kind, group.state, None, f"offsets cannot be read yet: {why}")
    return Group(group.kind, group.state, _offsets(answer))


def _code(answer: Any) -> int:
    """The group's error, in either form of the answer."""
    return int(answer.groups[0].error_code if answer.groups else answer.error_code)


def _partitions(answer: Any) -> Iterator[tuple[str, Any, int]]:
    """Topic, partition and error code."""
    for topic in answer.groups[0].topics if answer.groups else answer.topics:
        for partition in topic.partitions:
            yield topic.name, partition, partition.error_code


def _offsets(answer: Any) -> Offsets:
    return {
        (topic, each.partition_index): Committed(each.committed_offset, each.metadata or "")
        for topic, each, _ in _partitions(answer)
        if each.committed_offset >= 0
    }


async def _rules(cluster: Cluster) -> frozenset[Rule] | None:
    every = DescribeAclsRequest(
        resource_type_filter=ANY,
        resource_name_filter=None,
        pattern_type_filter=ANY,
        principal_filter=None,
        host_filter=None,
        operation=ANY,
        permission_type=ANY,
    )
    answer = await cluster.ask(every)
    if answer.error_code == SECURITY_DISABLED:
        return None
    _check(cluster, "its access rules cannot be read", answer.error_code, answer.error_message)
    return frozenset(
        Rule(
            resource.resource_type,
            resource.resource_name,
            resource.pattern_type,
            acl.principal,
            acl.host,
            acl.operation,
            acl.permission_type,
        )
        for resource in answer.resources
        for acl in resource.acls
    )
