"""Members' lives, who owned what, and progress by hours. Shapes only."""

from typing import Any

from rest_framework import serializers as s

from groups.core.facts import Departure, Origin
from groups.core.rounds import Outcome


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


class LifeOfGroup(Life):
    """A member's life, of whichever group."""

    group_id = s.CharField()


class OwnedByGroup(OwnedPartitions):
    """Partitions that a member of whichever group owned for some time."""

    group_id = s.CharField()


class ProgressOfGroup(s.Serializer[Any]):
    """What a group committed in a time."""

    group_id = s.CharField()
    commits = s.IntegerField(help_text="Of partitions, in hours that are over.")
    last_hour = s.DateTimeField(
        allow_null=True, help_text="The last of these hours with a commit; null: there was none."
    )
    committed_at = s.DateTimeField(help_text="The group's last commit of all.")


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


class RoundCause(s.Serializer[Any]):
    """Why a rebalance was needed."""

    trigger = s.CharField()
    members = s.IntegerField(help_text="How many members it was.")
    member_id = s.CharField(allow_null=True, help_text="The first of them.")
    at_ms = s.IntegerField(help_text="When it came, since the beginning.")
    ms = s.IntegerField(help_text="Its share of the time.")


class RoundWait(s.Serializer[Any]):
    """Whom a rebalance waited for."""

    life = s.IntegerField(allow_null=True, help_text="null: a client that never joined.")
    member_id = s.CharField(allow_null=True)
    act = s.CharField(help_text="What the member had to do.")
    end = s.CharField(help_text="How the wait ended.")
    ms = s.IntegerField()


class Round(s.Serializer[Any]):
    """A rebalance that has ended: what it waited for, and what it cost."""

    generation = s.IntegerField(help_text="The one to which it led.")
    kind = s.CharField(help_text="The group's kind.")
    outcome = s.ChoiceField(choices=[*map(str, Outcome)])
    started_at = s.DateTimeField()
    ended_at = s.DateTimeField()
    is_partial = s.BooleanField(help_text="Another node began it; what was before is not known.")
    members = s.IntegerField()
    moved = s.IntegerField(help_text="Partitions with another owner than before.")
    stopped_ms = s.IntegerField(
        help_text="Partitions times milliseconds for which members had stopped that stayed."
    )
    silent_ms = s.IntegerField(
        help_text="The same of members that were removed, since their last sign of life."
    )
    unowned_ms = s.IntegerField(help_text="The same of partitions without an owner.")
    causes = RoundCause(many=True)
    waits = RoundWait(many=True, help_text="All from 10 ms on, grouped by act and end.")
