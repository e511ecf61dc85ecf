"""The whole installation: nodes, slots, what needs attention, reports. Shapes only."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers as s

from console.api.fields import Id, Line
from console.api.serializers.operations import not_past
from console.plain_text import REASON_CHARS_MAX
from console.queries.attention_rules import HOURS, MOST, REBALANCES
from console.queries.attention_table import RULES
from console.queries.fired import Remedy
from groups.models import (
    Acknowledgement,
    AttentionRule,
    ClientConnection,
    Drain,
    Node,
    ReportRun,
    Slot,
)


class DrainView(s.ModelSerializer[Drain]):
    """A node that gives its slots away and takes none."""

    class Meta:
        model = Drain
        fields = ("node_id", "since", "actor", "reason")


class NodeSlots(s.Serializer[Any]):
    """How many slots a node takes, or gives back."""

    node_id = s.IntegerField()
    slots = s.IntegerField()


class DrainMoves(s.Serializer[Any]):
    """What a drain, or its withdrawal, moves."""

    dry_run = s.BooleanField()
    node_id = s.IntegerField()
    drained = s.BooleanField(help_text="Whether the node is drained now, or would be.")
    changed = s.BooleanField(help_text="false: it was so before.")
    slots = s.IntegerField(help_text="Slots that change their owner.")
    groups = s.IntegerField(help_text="Groups of these slots.")
    nodes = NodeSlots(many=True, help_text="Who takes the slots, or gives them back.")
    detail = s.CharField()


class NodeForgotten(s.Serializer[Any]):
    """A node that is forgotten, or would be."""

    dry_run = s.BooleanField()
    node_id = s.IntegerField()


class NodeView(s.ModelSerializer[Node]):
    """A coordinator process."""

    slots = s.SerializerMethodField()
    drain = s.SerializerMethodField()

    class Meta:
        model = Node
        fields = (
            *("node_id", "host", "port", "draft_port", "started_at", "beat_at", "slots"),
            "drain",
        )

    def get_slots(self, node: Node) -> int:
        """How many of the 64 slots it owns."""
        return int(self.context["slots"].get(node.node_id, 0))

    @extend_schema_field(DrainView(allow_null=True))
    def get_drain(self, node: Node) -> Any:
        """Who drained it, if it is drained."""
        drain = self.context["drains"].get(node.node_id)
        return None if drain is None else DrainView(drain).data


class ConnectionView(s.ModelSerializer[ClientConnection]):
    """A client's connection to a node."""

    groups = s.ListField(child=s.CharField(), help_text="Groups whose members use it.")

    class Meta:
        model = ClientConnection
        fields = (
            *("node_id", "number", "client_id", "software", "software_version", "address"),
            *("principal", "listener", "groups", "connected_at"),
        )


class NodeConnections(s.Serializer[Any]):
    """When a node noted its connections."""

    node_id = s.IntegerField()
    noted_at = s.DateTimeField(allow_null=True, help_text="null: it has not answered yet.")
    connections = s.IntegerField(allow_null=True, help_text="How many it had.")


class SlotView(s.ModelSerializer[Slot]):
    """One of the slots that groups are spread over."""

    class Meta:
        model = Slot
        fields = ("slot", "node_id", "epoch")


class RunView(s.ModelSerializer[ReportRun]):
    """One run of the pipeline."""

    class Meta:
        model = ReportRun
        fields = (
            "id",
            "state",
            "requested_by",
            "started_at",
            "finished_at",
            "stage",
            "percent",
            "as_of",
            "last_journal_id",
            "events",
            "detail",
        )


class ReportColumn(s.Serializer[Any]):
    """A key or figure of a report."""

    name = s.CharField()
    type = s.CharField(help_text="As in Spark.")
    meaning = s.CharField()


class ReportView(s.Serializer[Any]):
    """What a report answers, and its columns."""

    name = s.CharField()
    title = s.CharField()
    question = s.CharField()
    order = s.CharField(help_text="The column by which it is sorted, the greatest first.")
    keys = ReportColumn(many=True)
    figures = ReportColumn(many=True)


class Reports(s.Serializer[Any]):
    """The reports of the newest successful run, and the run in progress."""

    run = RunView(allow_null=True)
    running = RunView(allow_null=True)
    data = ReportView(many=True)  # type: ignore[assignment]  # a field of this name


class ReportRowView(s.Serializer[Any]):
    """One row of a report: its period, and the report's keys and figures by their names."""

    period = s.CharField()


class Analysis(s.Serializer[Any]):
    """A requested analysis."""

    detail = s.CharField()


class AcknowledgementView(s.ModelSerializer[Acknowledgement]):
    """Who has acknowledged what needs attention, and with which note."""

    class Meta:
        model = Acknowledgement
        fields = ("id", "rule", "subject", "note", "actor", "at", "until")


class AttentionLine(s.Serializer[Any]):
    """One thing that needs attention."""

    rule = s.CharField(help_text="The name of the rule that fires.")
    tone = s.CharField(help_text="bad or warn.")
    sentence = s.CharField()
    detail = s.CharField(allow_blank=True)
    place = s.CharField(
        help_text="The page with details: group, groups, nodes, operation, schedule."
    )
    key = s.CharField(allow_blank=True, help_text="The id of the group, operation or node.")
    subject = s.CharField(
        allow_blank=True,
        allow_null=True,
        help_text="The subject for an acknowledgement; null: the line counts further subjects.",
    )
    acknowledged = AcknowledgementView(allow_null=True)
    since = s.DateTimeField(allow_null=True, help_text="When it began; null: unknown.")
    still = s.IntegerField(
        allow_null=True, help_text="Partitions that nobody works on meanwhile; null: unknown."
    )
    remedy = s.ChoiceField(
        choices=[remedy.value for remedy in Remedy],
        allow_null=True,
        help_text="What ends most such situations; null: no operation does.",
    )
    member_id = s.CharField(allow_blank=True, help_text="The member that the remedy is about.")
    advice = s.CharField(allow_blank=True, help_text="What to do.")


class NewAcknowledgement(s.Serializer[Any]):
    """Acknowledge what needs attention."""

    rule = s.ChoiceField(choices=[rule.name for rule in RULES])
    subject = Id(allow_blank=True, default="", trim_whitespace=False)
    note = Line(max_length=REASON_CHARS_MAX)
    until = s.DateTimeField(
        required=False,
        allow_null=True,
        validators=[not_past],
        help_text="The end; it also ends with the situation.",
    )


class AttentionRuleView(s.ModelSerializer[AttentionRule]):
    """A threshold of some groups alone, or a silence."""

    class Meta:
        model = AttentionRule
        fields = ("id", "rule", "is_prefix", "name", "threshold", "reason", "actor", "at", "until")


class NewAttentionRule(s.Serializer[Any]):
    """Give groups a threshold of their own, or silence a rule for them."""

    rule = Line(max_length=REASON_CHARS_MAX, help_text="The name of a rule about groups.")
    is_prefix = s.BooleanField(
        default=False, help_text="Of all groups whose ids begin so; else of this one."
    )
    name = Id(allow_blank=True, trim_whitespace=False, help_text="A group id, or its beginning.")
    threshold = s.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=MOST,
        help_text="In the unit of the rule's setting; null: the rule is silenced until its end.",
    )
    reason = Line(max_length=REASON_CHARS_MAX)
    until = s.DateTimeField(
        required=False,
        allow_null=True,
        validators=[not_past],
        help_text="The end, which a silence needs.",
    )


class RuleStanding(s.Serializer[Any]):
    """How a rule applies to a group."""

    rule = s.CharField()
    meaning = s.CharField()
    threshold = s.IntegerField(
        allow_null=True, help_text="null: the rule has none; 0: it never fires."
    )
    text = s.CharField(allow_blank=True, help_text="The threshold in words.")
    own = AttentionRuleView(allow_null=True, help_text="What gives it; null: the setting.")
    silence = AttentionRuleView(allow_null=True, help_text="By which it is silenced now.")


class RuleProposal(s.Serializer[Any]):
    """A threshold that fits what a group did."""

    rule = s.CharField()
    threshold = s.IntegerField()
    p99 = s.IntegerField(help_text="What 99 of 100 stayed below, in the threshold's unit.")
    counted = s.IntegerField(help_text="Of how many rebalances or hours that was computed.")
    basis = s.ChoiceField([REBALANCES, HOURS])
    text = s.CharField()


class GroupAttention(s.Serializer[Any]):
    """From when on a group needs attention."""

    rules = RuleStanding(many=True)
    proposals = RuleProposal(many=True)


class RuleView(s.Serializer[Any]):
    """A rule of what needs attention."""

    rule = s.CharField()
    meaning = s.CharField()
    setting = s.CharField(allow_null=True, help_text="The setting with its threshold; null: none.")
    value = s.IntegerField(allow_null=True)
