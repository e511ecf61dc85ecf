"""What may be asked of a group, and what became of it. Shapes only."""

from datetime import datetime
from typing import Any

from django.utils import timezone
from rest_framework import serializers as s

from groups.api.fields import INT32_MAX, Line, Lines
from groups.core.plain_text import REASON_CHARS_MAX
from groups.models import (
    Operation,
)
from groups.operations.offset_resets import OFFSET_MAX, WAYS


def not_past(instant: datetime) -> None:
    """An end is still to come."""
    if instant <= timezone.now():
        raise s.ValidationError("That is over already.")


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
