"""Members' lives, who owned what, and progress by hours. Shapes only."""

from typing import Any

from rest_framework import serializers as s

from groups.core.facts import Departure, Origin


class Life(s.Serializer[Any]):
    """A member's life; without `left_at` it is not over."""

    life = s.IntegerField(help_text="Its id, in the tables of facts too.")
    member_id = s.CharField()
    instance_id = s.CharField(allow_null=True)
    client_id = s.CharField(allow_blank=True)
    client_host = s.CharField(allow_blank=True)
    principal = s.CharField(allow_blank=True)
    rack_id = s.CharField(allow_null=True)
    software_name = s.CharField(allow_blank=True)
    software_version = s.CharField(allow_blank=True)
    kind = s.CharField(
        help_text="The protocol that the member speaks: classic, consumer, draft or commanded."
    )
    session_timeout_ms = s.IntegerField()
    rebalance_timeout_ms = s.IntegerField()
    subscription = s.ListField(
        child=s.CharField(), allow_null=True, help_text="Topics; null: unreadable."
    )
    pattern = s.CharField(allow_blank=True)
    protocols = s.ListField(child=s.CharField(), help_text="The names of its assignors.")
    joined_generation = s.IntegerField()
    joined_at = s.DateTimeField()
    origin = s.ChoiceField(choices=[*map(str, Origin)])
    left_generation = s.IntegerField(allow_null=True)
    left_at = s.DateTimeField(allow_null=True)
    departure = s.ChoiceField(choices=[*map(str, Departure)], allow_null=True)
    heard_at = s.DateTimeField(
        allow_null=True, help_text="Its last sign of life; null while it lives."
    )


class OwnedPartitions(s.Serializer[Any]):
    """Partitions that a member owned for some time; without `until_at` it owns them now."""

    topic = s.CharField()
    partitions = s.ListField(child=s.IntegerField())
    from_generation = s.IntegerField()
    from_at = s.DateTimeField()
    until_generation = s.IntegerField(allow_null=True)
    until_at = s.DateTimeField(allow_null=True)
    life = s.IntegerField(help_text="The life of the member, as in the list of lives.")
    member_id = s.CharField()
    instance_id = s.CharField(allow_null=True)
    client_id = s.CharField(allow_blank=True)
    client_host = s.CharField(allow_blank=True)


class HourOfPartition(s.Serializer[Any]):
    """What was committed for a partition in an hour."""

    hour = s.DateTimeField(help_text="The hour's beginning.")
    topic = s.CharField()
    partition = s.IntegerField()
    commits = s.IntegerField()
    first_offset = s.IntegerField()
    last_offset = s.IntegerField()
    pause_ms = s.IntegerField(help_text="The longest time of the hour without a commit.")
    end_offset = s.IntegerField(
        allow_null=True, help_text="The partition's end after the hour, if it was known."
    )
    life = s.IntegerField(allow_null=True, help_text="Of the last commit; null: of no member.")
    member_id = s.CharField(allow_null=True)


class MovedPartition(s.Serializer[Any]):
    """A partition with another owner; null: with none."""

    topic = s.CharField()
    partition = s.IntegerField()
    before = s.CharField(allow_null=True)
    after = s.CharField(allow_null=True)


class TopicOffsets(s.Serializer[Any]):
    """How the offsets of a topic went: how many partitions advanced, went back, and stood still."""

    topic = s.CharField()
    advanced = s.IntegerField()
    back = s.IntegerField()
    still = s.IntegerField()
    by = s.IntegerField(help_text="By how much in all.")


class DifferentSetting(s.Serializer[Any]):
    """A setting with another value; null: not set for the group."""

    name = s.CharField()
    before = s.CharField(allow_null=True)
    after = s.CharField(allow_null=True)


class MomentsCompared(s.Serializer[Any]):
    """What differs in a group between two moments."""

    since = s.DateTimeField()
    until = s.DateTimeField()
    text = s.CharField(help_text="The same in sentences.")
    came = Life(many=True)
    went = Life(many=True)
    stayed = s.IntegerField()
    partitions = s.IntegerField(help_text="Those that had an owner at one of the moments.")
    moves = MovedPartition(many=True)
    progress = TopicOffsets(many=True)
    settings = DifferentSetting(many=True)
