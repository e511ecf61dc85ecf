"""Shapes of reports, beside those of their runs (``console.api.serializers.fleet``)."""

from typing import Any

from rest_framework import serializers as s

from console.api.fields import Id, Line
from console.api.serializers.fleet import ReportRowView, RunView
from console.api.serializers.operations import not_past
from console.plain_text import REASON_CHARS_MAX
from groups.models import AdviceDecision


class Computed(s.Serializer[Any]):
    """What SQL has computed now, without a run of the pipeline."""

    at = s.DateTimeField(help_text="When.")
    entries = s.IntegerField(help_text="How many of the journal's newest entries it has read.")
    since = s.DateTimeField(allow_null=True, help_text="It counts from then on; null: from ever.")
    is_cut = s.BooleanField(help_text="The period began before the entries that were read.")
    rows = s.IntegerField(help_text="How many rows there are; the page has the first of them.")


class ReportRowPage(s.Serializer[Any]):
    """Rows of a report, and where they are from."""

    data = ReportRowView(many=True)  # type: ignore[assignment]  # a field of this name
    next = s.URLField(allow_null=True)
    previous = s.URLField(allow_null=True)
    run = RunView(allow_null=True, help_text="Null: computed by SQL.")
    computed = Computed(allow_null=True, help_text="Null: rows of a run.")


class AdviceDecisionView(s.ModelSerializer[AdviceDecision]):
    """What somebody has decided about an advice."""

    class Meta:
        model = AdviceDecision
        fields = (
            "id",
            "group_id",
            "rule",
            "subject",
            "verdict",
            "reason",
            "actor",
            "at",
            "until",
        )


class AdviceCard(s.Serializer[Any]):
    """One advice with its evidence."""

    group_id = s.CharField()
    rule = s.CharField()
    subject = s.CharField(help_text="The client, host or group that it is about.")
    finding = s.CharField(help_text="What was seen.")
    change = s.CharField(help_text="What to set, run or look at.")
    evidence = s.IntegerField(help_text="How often it was seen.")
    confidence = s.CharField(help_text="By the evidence: low, medium, high.")
    cost_ms = s.IntegerField(help_text="Time without owner of the rebalances that it caused.")
    saves_partition_ms = s.IntegerField(
        help_text="Partitions x milliseconds without owner that it would have saved, at most."
    )
    entries = s.ListField(child=s.IntegerField(), help_text="The journal's entries of the worst.")
    lives = s.ListField(child=s.IntegerField(), help_text="Members' lives in which it was seen.")
    what_if = s.CharField(
        allow_blank=True, help_text="The command that tries it on what was recorded."
    )
    decision = AdviceDecisionView(allow_null=True)


class NewAdviceDecision(s.Serializer[Any]):
    """Accept or mute an advice."""

    group_id = Id(trim_whitespace=False)
    rule = s.CharField(max_length=100)
    subject = Id(trim_whitespace=False)
    verdict = s.ChoiceField(choices=AdviceDecision.Verdict.choices)
    reason = Line(max_length=REASON_CHARS_MAX)
    until = s.DateTimeField(
        required=False,
        allow_null=True,
        validators=[not_past],
        help_text="The end, of one that is muted; null: until it is withdrawn.",
    )
