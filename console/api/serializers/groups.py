"""A group, its members and its offsets. Shapes only."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers as s

from console.queries.journal_text import sentence
from console.queries.pauses import DEAF, STARTING, STOPPED, STOPPING, WORKING
from groups.core.waiting import Act, Phase
from groups.models import (
    Journal,
)


class LastRebalance(s.Serializer[Journal]):
    """The newest rebalance of a group."""

    at = s.DateTimeField()
    trigger = s.CharField()
    reason = s.CharField()
    client_reason = s.CharField()
    sentence = s.SerializerMethodField()
    duration_ms = s.IntegerField(allow_null=True)

    def get_sentence(self, entry: Journal) -> str:
        """What happened and why, in plain words."""
        return sentence(entry, self.context["names"][entry.group_id])


class AwaitedMember(s.Serializer[Any]):
    """A member that the group waits for."""

    member_id = s.CharField()
    name = s.CharField(help_text="Its instance id or client id.")
    act = s.ChoiceField(
        choices=[act.value for act in Act], help_text="What the group waits for it to do."
    )
    silent_ms = s.IntegerField(help_text="Since its last heartbeat.")
    left_ms = s.IntegerField(help_text="Until it is removed, unless it sends a heartbeat.")
    partitions = s.IntegerField(help_text="How many partitions it has to revoke.")


class Waiting(s.Serializer[Any]):
    """What a rebalancing group waits for, as its owner reported within the last seconds."""

    phase = s.ChoiceField(choices=[phase.value for phase in Phase])
    since_ms = s.IntegerField(allow_null=True, help_text="How long ago the phase began.")
    left_ms = s.IntegerField(
        allow_null=True, help_text="Until the phase ends without further requests."
    )
    awaited = AwaitedMember(many=True, help_text="The longest silent first, 20 at most.")
    awaited_count = s.IntegerField()
    ready = s.IntegerField(help_text="Members that have already done what the group waits for.")
    newcomers = s.ListField(
        child=s.CharField(), help_text="New members that wait to join; 20 at most."
    )
    newcomers_count = s.IntegerField()
    handed_out = s.IntegerField(
        help_text="Member ids that were returned to clients that have not joined with them yet."
    )
    still = s.IntegerField(
        allow_null=True, help_text="Partitions without a working member; null if unknown."
    )


class GroupSummary(s.Serializer[Any]):
    """A group in a list."""

    group_id = s.CharField()
    type = s.CharField(source="kind")
    state = s.CharField()
    state_since = s.DateTimeField()
    generation = s.IntegerField(help_text="The group epoch if the type is consumer.")
    protocol_type = s.CharField()
    protocol = s.CharField(source="protocol_name", allow_null=True)
    assignor = s.SerializerMethodField()
    member_count = s.IntegerField()
    topic_count = s.SerializerMethodField()
    partition_count = s.SerializerMethodField()
    unowned = s.SerializerMethodField()
    frozen = s.SerializerMethodField()
    frozen_since = s.DateTimeField(allow_null=True)
    frozen_until = s.DateTimeField(
        allow_null=True, help_text="When the freeze ends; null: when an operator thaws the group."
    )
    paused = s.BooleanField(
        help_text="Whether an operator has stopped the work of the whole group."
    )
    paused_members = s.IntegerField(help_text="Members that were stopped individually.")
    situation = s.SerializerMethodField()
    waiting = s.SerializerMethodField()
    last_rebalance = s.SerializerMethodField()
    rebalances_1h = s.SerializerMethodField()
    created_at = s.DateTimeField()
    updated_at = s.DateTimeField()

    def get_assignor(self, group: Any) -> str | None:
        """What assigns partitions; null: nothing has yet."""
        named: str | None = group.protocol_name or group.details.get("assignor")
        return named

    def get_topic_count(self, group: Any) -> int | None:
        """Topics to which a member subscribes; null: there are no members."""
        counts = self.context["counts"].get(group.group_id)
        return None if counts is None else int(counts.topics)

    def get_partition_count(self, group: Any) -> int | None:
        """Partitions of these topics; null: there are no members."""
        counts = self.context["counts"].get(group.group_id)
        return None if counts is None else int(counts.partitions)

    def get_unowned(self, group: Any) -> int | None:
        """Partitions of these topics that no member owns; null: there are no members, or their
        assignments cannot be decoded."""
        unowned: int | None = self.context["unowned"].get(group.group_id)
        return unowned

    def get_rebalances_1h(self, group: Any) -> int:
        """Rebalances completed within an hour, among the newest 20,000 entries of the journal."""
        return int(self.context["rebalances_1h"].get(group.group_id, 0))

    def get_frozen(self, group: Any) -> bool:
        """Whether no rebalance may begin (rollcall.freeze)."""
        return group.frozen_since is not None

    def get_situation(self, group: Any) -> str:
        """The group's current activity, in a sentence."""
        return str(self.context["situations"][group.group_id].text)

    @extend_schema_field(Waiting(allow_null=True))
    def get_waiting(self, group: Any) -> dict[str, Any] | None:
        """Which members the group waits for, and until when; null for a settled group."""
        waiting = self.context["situations"][group.group_id].waiting
        return None if waiting is None else dict(Waiting(waiting).data)

    @extend_schema_field(LastRebalance(allow_null=True))
    def get_last_rebalance(self, group: Any) -> dict[str, Any] | None:
        """The newest rebalance, if there was one."""
        entry = self.context["rebalances"].get(group.group_id)
        return None if entry is None else dict(LastRebalance(entry, context=self.context).data)


class Drain(s.Serializer[Any]):
    """Why a member gets no partitions: an operator drained it."""

    operation_id = s.IntegerField(help_text="The operation that requested it.")
    actor = s.CharField()
    reason = s.CharField()
    is_over = s.BooleanField(help_text="Whether it has given up all its partitions.")


class Member(s.Serializer[Any]):
    """A member of a group."""

    member_id = s.CharField()
    instance_id = s.CharField(allow_null=True)
    client_id = s.CharField()
    client_host = s.CharField()
    session_timeout_ms = s.IntegerField()
    rebalance_timeout_ms = s.IntegerField()
    joined_at = s.DateTimeField()
    last_heartbeat_at = s.DateTimeField(source="heard_at", allow_null=True)
    heartbeat_age_ms = s.IntegerField(
        allow_null=True,
        help_text="An upper bound: heartbeats are recorded twice per session timeout.",
    )
    is_leader = s.BooleanField()
    state = s.CharField()
    work = s.SerializerMethodField()
    drain = Drain(allow_null=True)
    epoch = s.IntegerField()
    subscribed_topics = s.ListField(source="topics", child=s.CharField(), allow_null=True)
    assignment = s.DictField(
        child=s.ListField(child=s.IntegerField()),
        allow_null=True,
        help_text="Partitions by topic; null if the bytes are not in Kafka's format.",
    )

    @extend_schema_field(s.ChoiceField(choices=[WORKING, STOPPING, STOPPED, STARTING, DEAF]))
    def get_work(self, view: Any) -> str:
        """Whether an operator wants it to stop, and whether it has."""
        return str(self.context["work"].members[view.member_id])


class Pause(s.Serializer[Any]):
    """What an operator has stopped, until it is started again."""

    pause_id = s.IntegerField(help_text="The operation that requested it.")
    scope = s.ChoiceField(
        choices=["group", "instance", "member"],
        help_text="A whole group, a static member by its instance id, or any other member.",
    )
    name = s.CharField(allow_blank=True, help_text="The member's name; empty for a whole group.")
    actor = s.CharField()
    reason = s.CharField()
    since = s.DateTimeField()


class PauseProgress(s.Serializer[Any]):
    """How many members have stopped and started."""

    pauses = Pause(many=True)
    asked = s.IntegerField(help_text="Members that must stop and support it.")
    obeyed = s.IntegerField(help_text="Those of them that have stopped.")
    starting = s.IntegerField(
        help_text="Members that may work again and have not received that yet."
    )
    not_supported = s.IntegerField(
        source="deaf", help_text="Members that must stop, and whose clients do not support it."
    )


class Group(GroupSummary):
    """A group with its members."""

    leader = s.CharField(allow_null=True)
    node_id = s.IntegerField(allow_null=True)
    revision = s.IntegerField()
    work = PauseProgress()
    members = Member(many=True, source="member_views")


class Offset(s.Serializer[Any]):
    """A committed offset."""

    topic = s.CharField()
    partition = s.IntegerField()
    committed_offset = s.IntegerField()
    leader_epoch = s.IntegerField()
    metadata = s.CharField()
    committed_at = s.DateTimeField()
    log_end_offset = s.IntegerField(source="end_offset", allow_null=True)
    lag = s.IntegerField(allow_null=True)
    member_id = s.CharField(source="owner", allow_null=True)


class AssignedPartition(s.Serializer[Any]):
    """A partition and its owner; null: none."""

    topic = s.CharField()
    partition = s.IntegerField()
    member_id = s.CharField(source="member.member_id", allow_null=True, default=None)
    instance_id = s.CharField(source="member.instance_id", allow_null=True, default=None)
    client_id = s.CharField(source="member.client_id", allow_null=True, default=None)


class GroupWaiting(s.Serializer[Any]):
    """The current activity of a group."""

    group_id = s.CharField()
    situation = s.CharField(help_text="The group's current activity, in a sentence.")
    waiting = Waiting(allow_null=True, help_text="null for a settled group.")


class Commit(s.Serializer[Any]):
    """A commit of one partition, and its author."""

    at = s.DateTimeField()
    committed_offset = s.IntegerField(source="offset")
    member_id = s.CharField(allow_blank=True)
    client_id = s.CharField(allow_blank=True)
    client_host = s.CharField(allow_blank=True)
    metadata = s.CharField(allow_blank=True)
    principal = s.CharField(allow_null=True)
