"""A request of any API and version about one tenant's resources, made from its declaration.

So an API that is added is tested without further work: fields are filled by their names, lists
have one element. What a field's name does not determine is in ``VARIANTS``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any
from uuid import UUID

from rollcall.wire.declare import Message
from rollcall.wire.kinds import Array, Field, Kind, Struct, Text, uuid

ERRORS = {"TOPIC": 29, "GROUP": 30, "CLUSTER": 31, "TRANSACTIONAL_ID": 53}
"""Kafka's codes, by type of resource."""


@dataclass(frozen=True)
class Tenant:
    """Names that begin alike. ``group`` is another one each time, so that no test parks a join."""

    name: str
    topic_id: UUID
    number: int = 0

    @property
    def group(self) -> str:
        """A group of its own."""
        return f"{self.name}-group-{self.number}"

    @property
    def topic(self) -> str:
        """A topic, which exists."""
        return f"{self.name}-topic"

    @property
    def transactional_id(self) -> str:
        """Of a producer."""
        return f"{self.name}-pay"

    def called(self, kind: str) -> str:
        """The name of its resource of a type."""
        return {
            "TOPIC": self.topic,
            "GROUP": self.group,
            "TRANSACTIONAL_ID": self.transactional_id,
            "CLUSTER": "kafka-cluster",
        }[kind]


TEXTS: Mapping[str, str] = {
    "group_id": "GROUP",
    "groups": "GROUP",
    "groups_names": "GROUP",
    "group_ids": "GROUP",
    "topic": "TOPIC",
    "topics": "TOPIC",
    "name": "TOPIC",
    "topic_name": "TOPIC",
    "topic_names": "TOPIC",
    "subscribed_topic_names": "TOPIC",
    "transactional_id": "TRANSACTIONAL_ID",
    "transactional_ids": "TRANSACTIONAL_ID",
}
"""What a field of that name holds."""

PLAIN: Mapping[str, Any] = {
    "client_software_name": "c",
    "client_software_version": "1",
    "session_timeout_ms": 10_000,
    "rebalance_timeout_ms": 10_000,
    "transaction_timeout_ms": 10_000,
    "protocol_type": "consumer",
    "protocol_name": "range",
    "producer_id": -1,
    "producer_epoch": -1,
    "generation_id": -1,
    "generation_id_or_member_epoch": -1,
    "member_epoch": 0,
    "member_id": "",
    "consumer_id": "c",
    "partition_assignment_strategy": "range",
    "timeout_ms": 1_000,
    "num_partitions": 1,
    "replication_factor": 1,
    "count": 9,
    "acks": 1,
    "mechanism": 1,
    "iterations": 4_096,
    "principal": "User:eve",
    "host": "*",
    "operation": 3,
    "permission_type": 3,
    "resource_type": 2,
    "resource_type_filter": 1,
    "pattern_type_filter": 1,
    "timestamp": -1,
    "allow_auto_topic_creation": True,
    "duration_filter": -1,
}
"""Values that are as good as any."""

NOTHING: Mapping[str, Any] = {
    "assignments": [],
    "client_assignors": None,
    "configuration_keys": None,
    "configs": [],
    "cursor": None,
    "failure": None,
    "filter_type": 0,
    "group_instance_id": None,
    "host_filter": None,
    "instance_id": None,
    "pattern": None,
    "principal_filter": None,
    "rack_id": None,
    "resource_name_filter": None,
    "server_assignor": None,
    "state_filters": [],
    "producer_id_filters": [],
    "states_filter": [],
    "types_filter": [],
    "subscribed_topic_regex": None,
    "topic_partitions": None,
    "transactional_id_pattern": None,
    "broker_ids": [],
    "resource_types": [],
}
"""Fields that are left open."""


@dataclass(frozen=True)
class Variant:
    """What the names of fields do not determine. ``values`` may name resources by their type,
    in capitals; ``judges``: notes of needs in the handler that come into play."""

    values: Mapping[str, Any] = field(default_factory=dict)
    judges: Sequence[str] = ()


PLAINLY = (Variant(),)
CONFIGS = tuple(
    Variant({"resource_type": number, "resource_name": name})
    for number, name in ((2, "TOPIC"), (4, ""), (32, "GROUP"))
)
VARIANTS: Mapping[str, Sequence[Variant]] = {
    "FindCoordinatorRequest": [
        Variant({"key_type": 0, "key": "GROUP", "coordinator_keys": "GROUP"}),
        Variant({"key_type": 1, "key": "TRANSACTIONAL_ID", "coordinator_keys": "TRANSACTIONAL_ID"}),
    ],
    "DeleteTopicsRequest": [
        Variant({"name": "NEW", "topic_names": "NEW", "topic_id": UUID(int=0)})
    ],
    "DescribeConfigsRequest": CONFIGS,
    "IncrementalAlterConfigsRequest": CONFIGS,
    "InitProducerIdRequest": [
        Variant(),
        Variant(
            {"transactional_id": None},
            ["without a transactional id; or WRITE on any topic"],
        ),
    ],
    "MetadataRequest": [
        Variant({}, ["what was not asked for by name is left out"]),
        Variant(
            {"name": "NEW", "topic_id": UUID(int=0)},
            ["what was not asked for by name is left out", "where it makes topics"],
        ),
        Variant({"topics": None}, ["what was not asked for by name is left out"]),
    ],
    "TopicMetadataRequest": [Variant({}, ["what was not asked for by name is left out"])],
    "DescribeTopicPartitionsRequest": [
        Variant({}, ["what was not asked for by name is left out"]),
        Variant({"topics": []}, ["what was not asked for by name is left out"]),
    ],
    "OffsetFetchRequest": [
        Variant({}, ["each group by itself", "where all were asked for it is left out"])
    ],
    "ListGroupsRequest": [Variant({}, ["others are left out"])],
    "ConsumerGroupHeartbeatRequest": [
        Variant(),
        Variant(
            {"subscribed_topic_names": None, "subscribed_topic_regex": "TOPIC"},
            ["every one that a pattern can match"],
        ),
    ],
    "RegisterConsumerRequest": [
        Variant(),
        Variant(
            {"topics": [], "filter_type": 1, "pattern": "TOPIC"},
            ["every one that a filter can match"],
        ),
    ],
    "AlterUserScramCredentialsRequest": [Variant({}, ["each user is refused"])],
    "CreateAclsRequest": [Variant({"resource_name": "TOPIC"})],
    "DescribeUserScramCredentialsRequest": [Variant({"users": None})],
}


def variants(request: type[Message]) -> Sequence[Variant]:
    """Every way in which a request is asked."""
    return VARIANTS.get(request.__name__, PLAINLY)


def made(request: type[Message], version: int, tenant: Tenant, variant: Variant) -> Any:
    """The request."""
    return _struct(request, version, tenant, variant)


def _struct(kind: type[Struct], version: int, tenant: Tenant, variant: Variant) -> Any:
    present = [each for each in kind.wire_fields if each.present(version)]
    return kind(**{f.name: _field(f, version, tenant, variant) for f in present})


def _field(each: Field, version: int, tenant: Tenant, variant: Variant) -> Any:
    if each.name in NOTHING and each.name not in variant.values:
        nothing = NOTHING[each.name]
        if nothing is not None or each.nullable(version):
            return nothing
    if variant.values.get(each.name, "") is None and not each.nullable(version):
        return []
    return _value(each.name, each.kind, version, tenant, variant)


def _value(
    name: str, kind: Kind | type[Struct], version: int, tenant: Tenant, variant: Variant
) -> Any:
    if name in variant.values:
        value = _named(variant.values[name], tenant)
        return [value] if isinstance(kind, Array) and isinstance(value, str) else value
    if isinstance(kind, Array):
        return [_value(name, kind.element, version, tenant, variant)]
    if isinstance(kind, type):
        return _struct(kind, version, tenant, variant)
    if isinstance(kind, Text):
        return tenant.called(TEXTS[name]) if name in TEXTS else PLAIN.get(name, "")
    if kind is uuid:
        return tenant.topic_id if name == "topic_id" else UUID(int=0)
    return PLAIN.get(name, kind.zero)


def _named(value: Any, tenant: Tenant) -> Any:
    if value == "NEW":
        return f"{tenant.name}-new-{tenant.number}"
    return tenant.called(value) if isinstance(value, str) and value in ERRORS else value


def codes(answer: Any) -> Iterator[int]:
    """Every error code of a response, at any depth."""
    if is_dataclass(answer) and not isinstance(answer, type):
        for each in fields(answer):
            value = getattr(answer, each.name)
            if each.name.endswith("error_code"):
                yield int(value)
            else:
                yield from codes(value)
    elif isinstance(answer, list | tuple):
        for item in answer:
            yield from codes(item)
