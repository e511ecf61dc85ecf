"""Groups, consumers, assignments and lags in the format of Confluent's API."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from rest_framework.request import Request

from console.api.confluent.links import Words, related, resource_name, url
from console.queries.groups import CLASSIC, CONSUMER, MemberView, OffsetView
from console.queries.lags import Summary
from groups.models import Group

STATES: Final[Mapping[str, str]] = {
    "Empty": "EMPTY",
    "PreparingRebalance": "PREPARING_REBALANCE",
    "CompletingRebalance": "COMPLETING_REBALANCE",
    "Assigning": "ASSIGNING",
    "Reconciling": "RECONCILING",
    "Stable": "STABLE",
}
TYPES: Final[Mapping[str, str]] = {CLASSIC: "CLASSIC", CONSUMER: "CONSUMER"}

UNKNOWN: Final = "UNKNOWN"
"""Confluent's word for a type that it does not know, such as that of Kafka's drafts."""

NO_NODE: Final = -1
"""Kafka's id for "no node"."""

Resource = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Shapes:
    """Converts rows of one group, or of all groups, of a cluster. ``request`` has the caller's
    address for us."""

    request: Request
    cluster_id: str

    def collection(
        self, kind: str, data: list[Resource], following: str | None, *path: str
    ) -> Resource:
        """A list; ``following`` is the URL of its next page."""
        own = url(self.request, *self._all(), *path)
        return {
            "kind": f"{kind}List",
            "metadata": {"self": own, "next": following},
            "data": data,
        }

    def group(self, group: Group, node_id: int | None, is_mixed: bool) -> Resource:
        """A group. ``is_mixed``: members of the classic protocol are in a consumer group."""
        group_id = group.group_id
        named = group.protocol_name or group.details.get("assignor")
        coordinator = NO_NODE if node_id is None else node_id
        return {
            **self._resource("KafkaConsumerGroup", (group_id,), (f"consumer-group={group_id}",)),
            "consumer_group_id": group_id,
            "is_simple": group.kind == CLASSIC and not group.protocol_type,
            "partition_assignor": named or "",
            "state": STATES.get(group.state, UNKNOWN),
            "type": TYPES.get(group.kind, UNKNOWN),
            "is_mixed_consumer_group": is_mixed,
            "coordinator": related(
                self.request, "clusters", self.cluster_id, "brokers", coordinator
            ),
            "consumers": self._related(group_id, "consumers"),
            "lag_summary": self._related(group_id, "lag-summary"),
        }

    def consumer(self, group_id: str, member: MemberView) -> Resource:
        """A member."""
        path = (group_id, "consumers", member.member_id)
        names = (f"consumer-group={group_id}", f"consumer={member.member_id}")
        return {
            **self._resource("KafkaConsumer", path, names),
            "consumer_group_id": group_id,
            **_member("", member),
            "assignments": self._related(*path, "assignments"),
        }

    def assignment(self, group_id: str, consumer_id: str, topic: str, partition: int) -> Resource:
        """A partition that a member has."""
        which: Words = (topic, "partitions", partition)
        path: Words = (group_id, "consumers", consumer_id, "assignments", *which)
        names = (f"consumer-group={group_id}", f"consumer={consumer_id}", f"assignment={topic}")
        return {
            **self._resource("KafkaConsumerAssignment", path, (*names, f"partition={partition}")),
            "consumer_group_id": group_id,
            "consumer_id": consumer_id,
            "topic_name": topic,
            "partition_id": partition,
            "partition": self._partition(topic, partition),
            "lag": self._related(group_id, "lags", *which),
        }

    def lag(self, group_id: str, offset: OffsetView, owner: MemberView | None) -> Resource:
        """A group's lag in a partition."""
        topic, partition = offset.topic, offset.partition
        path: Words = (group_id, "lags", topic, "partitions", partition)
        names = (f"consumer-group={group_id}", f"lag={topic}", f"partition={partition}")
        return {
            **self._resource("KafkaConsumerLag", path, names),
            "consumer_group_id": group_id,
            "topic_name": topic,
            "partition_id": partition,
            "current_offset": offset.committed_offset,
            "log_end_offset": offset.end_offset,
            "lag": offset.lag,
            **_member("", owner),
        }

    def lag_summary(self, group_id: str, summary: Summary, owner: MemberView | None) -> Resource:
        """A group's total lag, and the partition with the greatest."""
        consumer_id = "" if owner is None else owner.member_id
        path, names = (group_id, "lag-summary"), (f"consumer-group={group_id}", "lag-summary")
        return {
            **self._resource("KafkaConsumerGroupLagSummary", path, names),
            "consumer_group_id": group_id,
            **_member("max_lag_", owner),
            "max_lag_topic_name": summary.topic,
            "max_lag_partition_id": summary.partition,
            "max_lag": summary.most,
            "total_lag": summary.total,
            "max_lag_consumer": self._related(group_id, "consumers", consumer_id),
            "max_lag_partition": self._partition(summary.topic, summary.partition),
        }

    def _all(self) -> tuple[str, ...]:
        return "clusters", self.cluster_id, "consumer-groups"

    def _related(self, *path: str | int) -> dict[str, str]:
        return related(self.request, *self._all(), *path)

    def _partition(self, topic: str, partition: int) -> dict[str, str]:
        where: Words = ("topics", topic, "partitions", partition)
        return related(self.request, "clusters", self.cluster_id, *where)

    def _resource(self, kind: str, path: Words, names: tuple[str, ...]) -> Resource:
        """The fields at the beginning of each resource."""
        own = url(self.request, *self._all(), *path)
        named = resource_name(self.cluster_id, *names)
        return {
            "kind": kind,
            "metadata": {"self": own, "resource_name": named},
            "cluster_id": self.cluster_id,
        }


def _member(before: str, member: MemberView | None) -> Resource:
    """The member of a partition; empty if it has none."""
    return {
        f"{before}consumer_id": "" if member is None else member.member_id,
        f"{before}instance_id": None if member is None else member.instance_id,
        f"{before}client_id": "" if member is None else member.client_id,
    }
