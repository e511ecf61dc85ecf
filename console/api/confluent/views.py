"""The nine reads. ``shapes`` has the format, ``console.queries`` the queries."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from django.db.models.functions import Length
from django.http import Http404
from rest_framework.request import Request
from rest_framework.response import Response

from console.api import views
from console.api.confluent import errors
from console.api.confluent.shapes import Resource, Shapes
from console.api.inputs import described
from console.api.pages import paged, paged_values
from console.api.schema import PAGE
from console.queries import cluster, groups, lags
from groups.models import Group, Member, Offset, Slot

PARTITION_MAX: Final = 2**31 - 1

Partition = tuple[str, int]


class View(views.View):
    """The common part: the cluster in the path must be this one."""

    schema = None  # docs/openapi.yaml describes /api/v1
    shapes: Shapes

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check the cluster, once the caller is authorized."""
        super().initial(request, *args, **kwargs)
        if request.method not in ("GET", "HEAD"):
            return  # outside of the cluster
        cluster_id = kwargs["cluster_id"]
        if cluster_id != cluster.current_id():
            raise Http404(f"There is no cluster {cluster_id}.")
        self.shapes = Shapes(request, cluster_id)

    def get_exception_handler(self) -> Callable[..., Response | None]:
        """Errors in Confluent's format."""
        return errors.handle

    def collection(
        self, kind: str, data: list[Resource], *path: str, following: str | None
    ) -> Response:
        """A list of these."""
        return Response(self.shapes.collection(kind, data, following, *path))


class Groups(View):
    """All groups."""

    @described(parameters=PAGE)
    def get(self, request: Request, cluster_id: str) -> Response:
        """List groups by id, page by page."""
        page, neighbours = paged(request, Group.objects.all(), ["group_id"], self.query)
        nodes = dict(Slot.objects.values_list("slot", "node_id"))
        mixed = _mixed(page)
        resources = [self.shapes.group(g, nodes.get(g.slot), g.group_id in mixed) for g in page]
        return self.collection("KafkaConsumerGroup", resources, following=neighbours["next"])


class OneGroup(View):
    """One group."""

    def get(self, request: Request, cluster_id: str, group_id: str) -> Response:
        """Show a group."""
        group = views.existing(group_id)
        owner = groups.owner_of(group)
        node_id = None if owner is None else owner.node_id
        return Response(self.shapes.group(group, node_id, bool(_mixed([group]))))


def _mixed(page: Sequence[Group]) -> set[str]:
    """The groups of the consumer protocol that have classic members, whose rows contain their
    protocols. One statement."""
    ids = [group.group_id for group in page if group.kind == groups.CONSUMER]
    classic = Member.objects.filter(group_id__in=ids).alias(n=Length("subscription"))
    return set(classic.filter(n__gt=0).values_list("group_id", flat=True).distinct())


class Consumers(View):
    """The members of a group."""

    @described(parameters=PAGE)
    def get(self, request: Request, cluster_id: str, group_id: str) -> Response:
        """List members in the order in which they arrived, page by page."""
        group = views.existing(group_id)
        rows = groups.noted_members(group_id)
        page, neighbours = paged(request, rows, ["position", "member_id"], self.query)
        resources = [self.shapes.consumer(group_id, m) for m in groups.member_views(group, page)]
        path = (group_id, "consumers")
        return self.collection("KafkaConsumer", resources, *path, following=neighbours["next"])


class OneConsumer(View):
    """A member of a group."""

    def get(self, request: Request, cluster_id: str, group_id: str, consumer_id: str) -> Response:
        """Show a member."""
        return Response(self.shapes.consumer(group_id, _member(group_id, consumer_id)))


class Assignments(View):
    """What a member has."""

    @described(parameters=PAGE)
    def get(self, request: Request, cluster_id: str, group_id: str, consumer_id: str) -> Response:
        """List its partitions by topic and number, page by page."""
        parts = sorted(_partitions(_member(group_id, consumer_id)))
        page, following = paged_values(request, parts, self.query)
        resources = [self.shapes.assignment(group_id, consumer_id, *part) for part in page]
        path = (group_id, "consumers", consumer_id, "assignments")
        return self.collection("KafkaConsumerAssignment", resources, *path, following=following)


class OneAssignment(View):
    """A partition that a member has."""

    def get(
        self,
        request: Request,
        cluster_id: str,
        group_id: str,
        consumer_id: str,
        topic: str,
        partition: int,
    ) -> Response:
        """Show it."""
        if (topic, partition) not in _partitions(_member(group_id, consumer_id)):
            raise Http404(f"{consumer_id} has no partition {partition} of {topic}.")
        return Response(self.shapes.assignment(group_id, consumer_id, topic, partition))


class Lags(View):
    """How far a group is behind, partition by partition."""

    @described(parameters=PAGE)
    def get(self, request: Request, cluster_id: str, group_id: str) -> Response:
        """List those whose end is known, page by page; no log would tell the others."""
        owners = _owners(views.existing(group_id))
        rows = Offset.objects.filter(group_id=group_id)
        page, neighbours = paged(request, rows, ["topic", "partition"], self.query)
        resources = [
            self.shapes.lag(group_id, offset, owners.get((offset.topic, offset.partition)))
            for offset in groups.views_of(page)
            if offset.lag is not None
        ]
        path = (group_id, "lags")
        return self.collection("KafkaConsumerLag", resources, *path, following=neighbours["next"])


class OneLag(View):
    """How far a group is behind in a partition."""

    def get(
        self, request: Request, cluster_id: str, group_id: str, topic: str, partition: int
    ) -> Response:
        """Show it, where the end is known."""
        owners = _owners(views.existing(group_id))
        number = min(partition, PARTITION_MAX)
        rows = Offset.objects.filter(group_id=group_id, topic=topic, partition=number)
        for offset in groups.views_of(list(rows)):
            if offset.lag is not None:
                return Response(self.shapes.lag(group_id, offset, owners.get((topic, number))))
        raise Http404(f"The lag of partition {partition} of {topic} is unknown.")


class LagSummary(View):
    """How far a group is behind in all."""

    def get(self, request: Request, cluster_id: str, group_id: str) -> Response:
        """Show the sum and the partition that is furthest behind."""
        group = views.existing(group_id)
        summary = lags.summary(group_id)
        if summary is None:
            raise Http404(f"The lag of every partition of {group_id} is unknown.")
        owner = _owners(group).get((summary.topic, summary.partition))
        return Response(self.shapes.lag_summary(group_id, summary, owner))


def _member(group_id: str, member_id: str) -> groups.MemberView:
    """The member; raises 404."""
    group = views.existing(group_id)
    rows = list(groups.noted_members(group_id).filter(member_id=member_id))
    if not rows:
        raise Http404(f"There is no consumer {member_id} in {group_id}.")
    return groups.member_views(group, rows)[0]


def _partitions(member: groups.MemberView) -> set[Partition]:
    assigned = (member.assignment or {}).items()
    return {(topic, number) for topic, numbers in assigned for number in numbers}


def _owners(group: Group) -> Mapping[Partition, groups.MemberView]:
    """The owner of each partition."""
    members = groups.members_of(group)
    return {part: member for member in members for part in _partitions(member)}
