"""What REST's answers hold: the fields of each resource, and the bodies it takes.

Shapes only. Where values come from is ``groups.queries.groups``.
"""

from datetime import datetime
from enum import IntEnum
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers as s

from groups.access import kafka_users
from groups.access.scram_credentials import ITERATIONS, ITERATIONS_MAX, ITERATIONS_MIN
from groups.api.fields import Id, Line, Lines, PartitionCount, PrincipalName, TopicName
from groups.core.acls.bindings import Operation as AclOperation
from groups.core.acls.bindings import PatternType, Permission, ResourceType
from groups.core.acls.forms import HOST_BYTES_MAX, NAME_BYTES_MAX, PRINCIPAL_BYTES_MAX
from groups.core.configs.entries import Source
from groups.core.journal import TOLD
from groups.core.plain_text import REASON_CHARS_MAX
from groups.core.topics import (
    NAME_LENGTH_MAX,
    PARTITIONS_MAX,
    RACK_LENGTH_MAX,
    RACKS_PER_PARTITION_MAX,
)
from groups.core.waiting import Act, Phase
from groups.models import (
    Acknowledgement,
    Acl,
    AuditEntry,
    Journal,
    Node,
    Operation,
    RebalanceCost,
    ReportRun,
    Slot,
    Topic,
)
from groups.operations.offset_resets import OFFSET_MAX, WAYS
from groups.queries.attention import RULES
from groups.queries.journal_text import sentence
from groups.queries.pauses import DEAF, STARTING, STOPPED, STOPPING, WORKING

INT32_MAX = 2**31 - 1


def not_past(instant: datetime) -> None:
    """An end is still to come."""
    if instant <= timezone.now():
        raise s.ValidationError("That is over already.")


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
        return sentence(entry)


class AwaitedMember(s.Serializer[Any]):
    """A member that the group waits for."""

    member_id = s.CharField()
    name = s.CharField(help_text="Its instance id or client id.")
    act = s.ChoiceField(choices=[act.value for act in Act], help_text="What it has to do.")
    silent_ms = s.IntegerField(help_text="Since it was last heard of.")
    left_ms = s.IntegerField(help_text="Until it is removed, unless it is heard of.")
    partitions = s.IntegerField(help_text="How many it has to give up.")


class Waiting(s.Serializer[Any]):
    """What a group waits for that does not settle, as its owner told within the last seconds."""

    phase = s.ChoiceField(choices=[phase.value for phase in Phase])
    since_ms = s.IntegerField(allow_null=True, help_text="How long ago the phase began.")
    left_ms = s.IntegerField(allow_null=True, help_text="Until the phase ends by itself.")
    awaited = AwaitedMember(many=True, help_text="The longest silent first, 20 at most.")
    awaited_count = s.IntegerField()
    ready = s.IntegerField(help_text="Members that have done what is awaited of the others.")
    newcomers = s.ListField(child=s.CharField(), help_text="Who waits to be let in; 20 at most.")
    newcomers_count = s.IntegerField()
    handed_out = s.IntegerField(help_text="Member ids that have not come back.")
    still = s.IntegerField(
        allow_null=True, help_text="Partitions that nobody works on; null where that is unknown."
    )


class GroupSummary(s.Serializer[Any]):
    """A group in a list."""

    group_id = s.CharField()
    type = s.CharField(source="kind")
    state = s.CharField()
    state_since = s.DateTimeField()
    generation = s.IntegerField(help_text="The group epoch, where the type is consumer.")
    protocol_type = s.CharField()
    protocol = s.CharField(source="protocol_name", allow_null=True)
    member_count = s.IntegerField()
    frozen = s.SerializerMethodField()
    frozen_since = s.DateTimeField(allow_null=True)
    frozen_until = s.DateTimeField(
        allow_null=True, help_text="When it is thawed by itself; null: when somebody does."
    )
    paused = s.BooleanField(help_text="Whether an operator has stopped the whole group's work.")
    paused_members = s.IntegerField(help_text="Members that were stopped one by one.")
    situation = s.SerializerMethodField()
    waiting = s.SerializerMethodField()
    last_rebalance = s.SerializerMethodField()
    created_at = s.DateTimeField()
    updated_at = s.DateTimeField()

    def get_frozen(self, group: Any) -> bool:
        """Whether no rebalance may begin (rollcall.freeze)."""
        return group.frozen_since is not None

    def get_situation(self, group: Any) -> str:
        """What is going on right now, in a sentence."""
        return str(self.context["situations"][group.group_id].text)

    @extend_schema_field(Waiting(allow_null=True))
    def get_waiting(self, group: Any) -> dict[str, Any] | None:
        """Who is waited for, until when; null for a group that is at work."""
        told = self.context["situations"][group.group_id].waiting
        return None if told is None else dict(Waiting(told).data)

    @extend_schema_field(LastRebalance(allow_null=True))
    def get_last_rebalance(self, group: Any) -> dict[str, Any] | None:
        """The newest rebalance, if there was one."""
        entry = self.context["rebalances"].get(group.group_id)
        return None if entry is None else dict(LastRebalance(entry).data)


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
        allow_null=True, help_text="At most: heartbeats are noted twice per session timeout."
    )
    is_leader = s.BooleanField()
    state = s.CharField()
    work = s.SerializerMethodField()
    epoch = s.IntegerField()
    subscribed_topics = s.ListField(source="topics", child=s.CharField(), allow_null=True)
    assignment = s.DictField(
        child=s.ListField(child=s.IntegerField()),
        allow_null=True,
        help_text="Partitions by topic; null where the bytes are not Kafka's own.",
    )

    @extend_schema_field(s.ChoiceField(choices=[WORKING, STOPPING, STOPPED, STARTING, DEAF]))
    def get_work(self, view: Any) -> str:
        """Whether an operator wants it to stop, and whether it has."""
        return str(self.context["work"].members[view.member_id])


class Pause(s.Serializer[Any]):
    """What an operator has stopped, until somebody starts it again."""

    pause_id = s.IntegerField(help_text="The operation that asked for it.")
    scope = s.ChoiceField(
        choices=["group", "instance", "member"],
        help_text="A whole group, a static member by its instance id, or any other member.",
    )
    name = s.CharField(allow_blank=True, help_text="Which one; empty for a whole group.")
    actor = s.CharField()
    reason = s.CharField()
    since = s.DateTimeField()


class Work(s.Serializer[Any]):
    """How far orders to stop and to start are obeyed."""

    pauses = Pause(many=True)
    asked = s.IntegerField(help_text="Members that are to stop, and take orders.")
    obeyed = s.IntegerField(help_text="Those of them that have stopped.")
    starting = s.IntegerField(help_text="Members that may work again and have not heard it.")
    not_supported = s.IntegerField(
        source="deaf", help_text="Members that are to stop, and whose clients take no orders."
    )


class Group(GroupSummary):
    """A group with its members."""

    leader = s.CharField(allow_null=True)
    node_id = s.IntegerField(allow_null=True)
    revision = s.IntegerField()
    work = Work()
    members = Member(many=True, source="member_views")


class ConfigEntry(s.Serializer[Any]):
    """A setting that a group may have of its own, as it is for this group."""

    name = s.CharField()
    value = s.CharField(allow_null=True)
    is_own = s.SerializerMethodField()
    documentation = s.CharField()

    def get_is_own(self, entry: Any) -> bool:
        """Whether the group has it of its own; else it is the node's, or the default."""
        return bool(entry.source is Source.GROUP)


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


class JournalEntry(s.ModelSerializer[Journal]):
    """What was decided, and why."""

    seq = s.IntegerField(source="id")
    node_id = s.IntegerField(help_text="Of the node that wrote it; -1: none did, but the web.")
    sentence = s.SerializerMethodField()

    class Meta:
        model = Journal
        fields = ("seq", "at", "group_id", "node_id", *TOLD, "sentence")

    def get_sentence(self, entry: Journal) -> str:
        """The entry in plain words."""
        return sentence(entry)


class OperationView(s.ModelSerializer[Operation]):
    """An operator's verb and what became of it."""

    class Meta:
        model = Operation
        fields = (
            "id",
            "group_id",
            "verb",
            "member_id",
            "reason",
            "actor",
            "expected_generation",
            "restore_to",
            "until",
            "state",
            "outcome",
            "detail",
            "generation",
            "created_at",
            "finished_at",
        )


class Reason(s.Serializer[Any]):
    """Why somebody asks for something; the journal shows it."""

    reason = Line(max_length=REASON_CHARS_MAX)


class FreezeGroup(Reason):
    """Let no rebalance begin."""

    until = s.DateTimeField(
        required=False,
        allow_null=True,
        validators=[not_past],
        help_text="When it is thawed by itself. Of a group that is frozen already: another end.",
    )


class ForceRebalance(Reason):
    """Let every member of a group rejoin."""

    expected_generation = s.IntegerField(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=INT32_MAX,
        help_text="The operation fails where the generation is another one.",
    )
    on_in_progress = s.ChoiceField(
        choices=["leave", "reject"],
        default="leave",
        help_text="A group that is rebalancing already is left alone; or the request is refused.",
    )


class RestoreOffsets(Reason):
    """Take the offsets of an empty group back to what they were."""

    to = s.DateTimeField(help_text="Within offsets.history.retention.hours.")


class ResetOffsets(Reason):
    """Set the offsets of an empty group. What ``to`` names stands in the field of that name."""

    to = s.ChoiceField(choices=list(WAYS))
    offset = s.IntegerField(required=False, min_value=0, max_value=OFFSET_MAX)
    shift = s.IntegerField(required=False, min_value=-OFFSET_MAX, max_value=OFFSET_MAX)
    moment = s.DateTimeField(
        required=False, help_text="Within offsets.history.retention.hours, with its zone."
    )
    group = Line(required=False, help_text="Another group's id.")
    csv = Lines(required=False, help_text="Lines of topic,partition,offset.")
    topics = s.ListField(
        child=Line(),
        required=False,
        max_length=1_000,
        help_text="Only these; partitions that were never committed are set as well.",
    )


class Plan(s.Serializer[Any]):
    """What a verb would do to a group as it is now, worked out by a dry run."""

    dry_run = s.BooleanField()
    verb = s.CharField()
    group_id = s.CharField()
    generation = s.IntegerField(help_text="As it is now.")
    would = s.ChoiceField(
        choices=["change", "leave", "fail"],
        help_text="Whether anything would come of it, or the operation would fail.",
    )
    detail = s.CharField()
    members = s.ListField(child=s.CharField(), help_text="Whom it is about; 100 at most.")
    members_count = s.IntegerField()
    partitions = s.IntegerField(
        allow_null=True, help_text="That are given up; null: only those that move."
    )


class ResetChange(s.Serializer[Any]):
    """A partition that a reset would change; null: no offset."""

    topic = s.CharField()
    partition = s.IntegerField()
    before = s.IntegerField(allow_null=True)
    after = s.IntegerField(allow_null=True)


class ResetPlan(s.Serializer[Any]):
    """What a reset would do, worked out by a dry run."""

    dry_run = s.BooleanField()
    how = s.CharField()
    changes = ResetChange(many=True)
    unchanged = s.IntegerField(help_text="Partitions that are there already.")


class TopicView(s.ModelSerializer[Topic]):
    """A topic of the catalogue."""

    racks = s.ListField(child=s.ListField(child=s.CharField()), read_only=True)

    class Meta:
        model = Topic
        fields = ("name", "topic_id", "partitions", "end_offsets", "racks", "created_at")


class TopicPlan(s.Serializer[Any]):
    """What would become of a topic, worked out by a dry run."""

    dry_run = s.BooleanField()
    partitions_before = s.IntegerField(allow_null=True, help_text="null: there is no such topic.")
    topic = TopicView()
    groups = s.IntegerField(help_text="That have committed offsets of it; 1,000 at most.")


class PartitionView(s.Serializer[Any]):
    """A partition of a topic. It begins at 0, and ends as ListOffsets tells clients."""

    partition = s.IntegerField()
    log_start_offset = s.IntegerField()
    log_end_offset = s.IntegerField(
        help_text="The greater of the catalogue's end and the greatest committed offset."
    )


class NewTopic(s.Serializer[Any]):
    """A topic to be made."""

    name = TopicName(max_length=NAME_LENGTH_MAX)
    partitions = PartitionCount()


def _words(kind: type[IntEnum], least: int) -> list[str]:
    """What stands in a rule; the rest is for filters."""
    return [word.name for word in kind if word >= least]


class NewAcl(s.Serializer[Any]):
    """An access rule, in Kafka's words."""

    resource_type = s.ChoiceField(choices=_words(ResourceType, ResourceType.TOPIC))
    name = Line(
        trim_whitespace=False,
        max_length=NAME_BYTES_MAX,
        help_text="Of the resource; `*` means every one.",
    )
    pattern = s.ChoiceField(choices=_words(PatternType, PatternType.LITERAL), default="LITERAL")
    principal = PrincipalName(
        trim_whitespace=False,
        max_length=PRINCIPAL_BYTES_MAX,
        help_text="For instance `User:ann`; `User:*` is everybody.",
    )
    host = Line(default="*", max_length=HOST_BYTES_MAX, help_text="An address, or `*`.")
    operation = s.ChoiceField(choices=_words(AclOperation, AclOperation.ALL))
    permission = s.ChoiceField(choices=_words(Permission, Permission.DENY), default="ALLOW")


class AclView(s.ModelSerializer[Acl]):
    """An access rule of the Kafka port."""

    class Meta:
        model = Acl
        fields = (
            "resource_type",
            "name",
            "pattern",
            "principal",
            "host",
            "operation",
            "permission",
            "created_at",
        )


class DeletedAcls(s.Serializer[Any]):
    """What was deleted, or would be."""

    dry_run = s.BooleanField()
    acls = AclView(many=True)


class Authorizer(s.Serializer[Any]):
    """Whether requests of clients are judged by ACLs."""

    is_on = s.BooleanField()


class KafkaUserView(s.Serializer[Any]):
    """A user of the Kafka port, without anything of its password."""

    name = s.CharField()
    mechanisms = s.DictField(
        child=s.IntegerField(), help_text="How often each mechanism hashes, by its name."
    )
    updated_at = s.DateTimeField(allow_null=True, help_text="When its newest password was set.")


class Password(s.Serializer[Any]):
    """A password, and what it is for."""

    password = Line(
        trim_whitespace=False, write_only=True, max_length=kafka_users.PASSWORD_CHARS_MAX
    )
    mechanisms = s.ListField(
        child=s.ChoiceField(choices=kafka_users.MECHANISMS),
        default=list(kafka_users.MECHANISMS),
        min_length=1,
        max_length=len(kafka_users.MECHANISMS),
    )
    iterations = s.IntegerField(
        min_value=ITERATIONS_MIN, max_value=ITERATIONS_MAX, default=ITERATIONS
    )


class Growth(s.Serializer[Any]):
    """More partitions for a topic: how many in all."""

    partitions = PartitionCount()


class Places(s.Serializer[Any]):
    """Where a topic's partitions are: for each, from the first on, the racks near to it."""

    racks = s.ListField(
        child=s.ListField(
            child=Line(max_length=RACK_LENGTH_MAX),
            allow_empty=True,
            max_length=RACKS_PER_PARTITION_MAX,
        ),
        max_length=PARTITIONS_MAX,
    )


class NodeView(s.ModelSerializer[Node]):
    """A coordinator process."""

    slots = s.SerializerMethodField()

    class Meta:
        model = Node
        fields = ("node_id", "host", "port", "draft_port", "started_at", "beat_at", "slots")

    def get_slots(self, node: Node) -> int:
        """How many of the 64 slots it owns."""
        return int(self.context["slots"].get(node.node_id, 0))


class RunView(s.ModelSerializer[ReportRun]):
    """One run of the pipeline."""

    class Meta:
        model = ReportRun
        fields = (
            "id",
            "kind",
            "state",
            "requested_by",
            "started_at",
            "finished_at",
            "last_journal_id",
            "events",
            "detail",
        )


class Cost(s.ModelSerializer[RebalanceCost]):
    """What the rebalances of one group by one trigger cost."""

    class Meta:
        model = RebalanceCost
        fields = (
            "group_id",
            "trigger",
            "rebalances",
            "duration_ms",
            "longest_ms",
            "waited_ms",
            "slowest_member",
            "partitions_moved",
            "without_owner_ms",
            "without_owner_known_ms",
            "unknown_rebalances",
        )


class AcknowledgementView(s.ModelSerializer[Acknowledgement]):
    """Who has taken note of what needs attention, and why it is left as it is."""

    class Meta:
        model = Acknowledgement
        fields = ("id", "rule", "subject", "note", "actor", "at", "until")


class AttentionLine(s.Serializer[Any]):
    """One thing that needs attention."""

    rule = s.CharField(help_text="A word for programs: which rule fired.")
    tone = s.CharField(help_text="bad or warn.")
    sentence = s.CharField()
    detail = s.CharField(allow_blank=True)
    place = s.CharField(help_text="What tells more: group, groups, nodes, operation, schedule.")
    key = s.CharField(allow_blank=True, help_text="Which group or operation.")
    subject = s.CharField(
        allow_blank=True,
        allow_null=True,
        help_text="What it can be acknowledged for; null: it tells of how many more there are.",
    )
    acknowledged = AcknowledgementView(allow_null=True)


class NewAcknowledgement(s.Serializer[Any]):
    """Somebody takes note of what needs attention."""

    rule = s.ChoiceField(choices=[rule.name for rule in RULES])
    subject = Id(allow_blank=True, default="", trim_whitespace=False)
    note = Line(max_length=REASON_CHARS_MAX)
    until = s.DateTimeField(
        required=False,
        allow_null=True,
        validators=[not_past],
        help_text="Or with the situation.",
    )


class Analysis(s.Serializer[Any]):
    """An analysis that was asked for."""

    detail = s.CharField()


class Me(s.Serializer[Any]):
    """Who asks."""

    username = s.CharField()
    permissions = s.ListField(child=s.CharField())


class AssignedPartition(s.Serializer[Any]):
    """A partition and who has it; null: nobody."""

    topic = s.CharField()
    partition = s.IntegerField()
    member_id = s.CharField(source="member.member_id", allow_null=True, default=None)
    instance_id = s.CharField(source="member.instance_id", allow_null=True, default=None)
    client_id = s.CharField(source="member.client_id", allow_null=True, default=None)


class GroupWaiting(s.Serializer[Any]):
    """What is going on in a group."""

    group_id = s.CharField()
    situation = s.CharField(help_text="In a sentence.")
    waiting = Waiting(allow_null=True, help_text="null for a group that is at work.")


class OneRebalance(s.Serializer[Any]):
    """A rebalance, with what operators asked for that led to it."""

    rebalance = JournalEntry()
    operations = OperationView(many=True)


class Commit(s.Serializer[Any]):
    """A commit of one partition, by whom."""

    at = s.DateTimeField()
    committed_offset = s.IntegerField(source="offset")
    member_id = s.CharField(allow_blank=True)
    client_id = s.CharField(allow_blank=True)
    client_host = s.CharField(allow_blank=True)
    metadata = s.CharField(allow_blank=True)
    principal = s.CharField(allow_null=True)


class SlotView(s.ModelSerializer[Slot]):
    """One of the slots that groups are spread over."""

    class Meta:
        model = Slot
        fields = ("slot", "node_id", "epoch")


class RuleView(s.Serializer[Any]):
    """A rule of what needs attention."""

    rule = s.CharField()
    meaning = s.CharField()
    setting = s.CharField(allow_null=True, help_text="What it goes by; null: nothing.")
    value = s.IntegerField(allow_null=True)


class AuditView(s.ModelSerializer[AuditEntry]):
    """Who did what, from where, and what became of it."""

    class Meta:
        model = AuditEntry
        fields = (
            "id",
            "at",
            "kind",
            "who",
            "address",
            "client_id",
            "request_id",
            "target",
            "outcome",
            "login",
            "details",
        )
