"""Operations on groups, and their results. Shapes only."""

from datetime import datetime
from typing import Any

from django.utils import timezone
from rest_framework import serializers as s

from console.api.fields import INT32_MAX, Line, Lines
from console.operations.offset_resets import OFFSET_MAX, WAYS
from console.plain_text import REASON_CHARS_MAX
from groups.models import (
    Operation,
)


def not_past(instant: datetime) -> None:
    """An end must be in the future."""
    if instant <= timezone.now():
        raise s.ValidationError("That time has passed.")


class Prediction(s.Serializer[Any]):
    """What an operation was expected to do; figures only if it moves partitions."""

    text = s.CharField()
    would = s.CharField(help_text="change, leave or fail.")
    accuracy = s.CharField(required=False, help_text="exact, estimated or unknown.")
    why = s.CharField(required=False, allow_blank=True, help_text="Why it is no better.")
    moved = s.IntegerField(required=False, help_text="Partitions that get another owner.")
    unowned = s.IntegerField(required=False, help_text="Partitions without owner afterwards.")
    freed = s.IntegerField(required=False, help_text="Partitions of members that end.")
    stopped = s.IntegerField(required=False, help_text="Partitions stopped in the rebalance.")
    members = s.IntegerField(required=False, help_text="Members afterwards.")
    rebalances = s.IntegerField(required=False, help_text="2: a cooperative group hands over.")


class OperationView(s.ModelSerializer[Operation]):
    """An operator's request and its result."""

    prediction = Prediction(allow_null=True, help_text="null: nobody asked for one.")

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
            "prediction",
            "created_at",
            "finished_at",
        )


class Reason(s.Serializer[Any]):
    """The reason of a request; the journal shows it."""

    reason = Line(max_length=REASON_CHARS_MAX)


class FreezeGroup(Reason):
    """Freeze a group: no rebalance begins."""

    until = s.DateTimeField(
        required=False,
        allow_null=True,
        validators=[not_past],
        help_text="When the freeze ends. If the group is already frozen: the new end.",
    )


class ForceRebalance(Reason):
    """Force a rebalance of a group."""

    expected_generation = s.IntegerField(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=INT32_MAX,
        help_text="The operation fails if the group is in another generation.",
    )
    on_in_progress = s.ChoiceField(
        choices=["leave", "reject"],
        default="leave",
        help_text="If the group is already rebalancing: do nothing, or refuse the request.",
    )


class RestoreOffsets(Reason):
    """Restore the offsets of an empty group to those at an earlier time."""

    to = s.DateTimeField(help_text="Within offsets.history.retention.hours.")


class ResetOffsets(Reason):
    """Set the offsets of an empty group. The field with the name in ``to`` has the value."""

    to = s.ChoiceField(choices=list(WAYS))
    offset = s.IntegerField(required=False, min_value=0, max_value=OFFSET_MAX)
    shift = s.IntegerField(required=False, min_value=-OFFSET_MAX, max_value=OFFSET_MAX)
    moment = s.DateTimeField(
        required=False, help_text="Within offsets.history.retention.hours, with a time zone."
    )
    group = Line(required=False, help_text="Another group's id.")
    csv = Lines(required=False, help_text="Lines of topic,partition,offset.")
    topics = s.ListField(
        child=Line(),
        required=False,
        max_length=1_000,
        help_text="Only these topics; partitions that were never committed are set as well.",
    )


WOULD: dict[str, Any] = {
    "choices": ["change", "leave", "fail"],
    "help_text": "Whether the operation would change anything, or fail.",
}


class Plan(s.Serializer[Any]):
    """What an operation would do to the group in its current state (a dry run)."""

    dry_run = s.BooleanField()
    verb = s.CharField()
    group_id = s.CharField()
    generation = s.IntegerField(help_text="The current generation.")
    would = s.ChoiceField(**WOULD)
    detail = s.CharField()
    members = s.ListField(child=s.CharField(), help_text="The affected members; 100 at most.")
    members_count = s.IntegerField()
    partitions = s.IntegerField(
        allow_null=True, help_text="Partitions that are revoked; null: only those that move."
    )


BATCH_MAX = 1_000
"""Groups of one request: each is a row, and a notification of its owner."""


class NewBatch(Reason):
    """A request about all groups that match the filters of the query."""

    groups_max = s.IntegerField(
        default=100,
        min_value=1,
        max_value=BATCH_MAX,
        help_text="If more groups match, nothing is asked of any.",
    )


class BatchedOperation(s.Serializer[Any]):
    """The operation on one of the groups."""

    id = s.IntegerField()
    group_id = s.CharField(
        allow_null=True, help_text="null: the token may not read which groups there are."
    )


class Batch(s.Serializer[Any]):
    """What was asked for."""

    groups = s.IntegerField(help_text="The number of groups.")
    operations = BatchedOperation(many=True)


class Refused(s.Serializer[Any]):
    """A group for which an operation would fail, and why."""

    group_id = s.CharField()
    detail = s.CharField()


class BatchPlan(s.Serializer[Any]):
    """The groups that match (a dry run)."""

    dry_run = s.BooleanField()
    verb = s.CharField()
    groups = s.IntegerField(help_text="The number of groups.")
    group_ids = s.ListField(child=s.CharField())
    refused = Refused(many=True, help_text="Of these groups those for which it would fail.")


class ResetChange(s.Serializer[Any]):
    """A partition that a reset would change; null: no offset."""

    topic = s.CharField()
    partition = s.IntegerField()
    before = s.IntegerField(allow_null=True)
    after = s.IntegerField(allow_null=True)


class ResetPlan(s.Serializer[Any]):
    """What a reset would do (a dry run)."""

    dry_run = s.BooleanField()
    would = s.ChoiceField(**WOULD)
    detail = s.CharField(help_text="Why it would fail; otherwise empty.")
    how = s.CharField()
    changes = ResetChange(many=True)
    unchanged = s.IntegerField(help_text="Partitions that already have this offset.")
