"""What would become of a group. Shapes only."""

from typing import Any

from rest_framework import serializers as s

from console.foresight.foresight import Accuracy


class ShareView(s.Serializer[Any]):
    """A member's number of partitions."""

    member_id = s.CharField(help_text="Of a member that does not exist yet: an invented one.")
    name = s.CharField(help_text="Its instance id or client id.")
    host = s.CharField(allow_blank=True)
    before = s.IntegerField()
    after = s.IntegerField()
    gained = s.IntegerField(help_text="Of these, those that it did not have before.")


class ForesightView(s.Serializer[Any]):
    """An answer, in sentences and figures."""

    group_id = s.CharField()
    question = s.CharField()
    text = s.CharField()
    accuracy = s.ChoiceField(choices=[each.value for each in Accuracy], source="found.accuracy")
    why = s.CharField(allow_blank=True, source="found.why", help_text="Why it is no better.")
    rebalances = s.IntegerField(source="found.rebalances")
    moved = s.IntegerField(
        source="found.moved", help_text="Partitions that get another owner, or one at all."
    )
    unowned = s.IntegerField(source="found.unowned", help_text="Without an owner afterwards.")
    gone = s.IntegerField(source="found.gone", help_text="Members that end.")
    freed = s.IntegerField(source="found.freed", help_text="Partitions that these own.")
    still_ms = s.IntegerField(
        source="found.still_ms", help_text="For at most so long nobody works on these."
    )
    stopped = s.IntegerField(
        source="found.stopped", help_text="Partitions that members stop for the rebalance."
    )
    members = s.IntegerField(source="found.members", help_text="Members afterwards.")
    shares = ShareView(many=True, source="found.shares")
