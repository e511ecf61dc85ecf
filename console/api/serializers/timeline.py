"""A group along time. Shapes only."""

from typing import Any

from rest_framework import serializers as s

from console.queries import timeline_events as events
from console.queries.timeline_lanes import HOST, MEMBER


class Span(s.Serializer[Any]):
    """A time; without `until` it goes on."""

    since = s.DateTimeField()
    until = s.DateTimeField(allow_null=True)


class OwnedStep(s.Serializer[Any]):
    """From this time on the lane owned so many partitions."""

    at = s.DateTimeField()
    partitions = s.IntegerField()


class LaneWait(s.Serializer[Any]):
    """A rebalance waited for a member of the lane."""

    generation = s.IntegerField()
    since = s.DateTimeField(help_text="When the rebalance began.")
    ms = s.IntegerField()
    act = s.CharField(help_text="What was awaited: join, rejoin, sync, revoke and so on.")
    end = s.CharField(help_text="How the wait ended.")


class LaneDeparture(s.Serializer[Any]):
    """A member of the lane that left, or was lost."""

    at = s.DateTimeField()
    how = s.CharField()
    member_id = s.CharField()
    silent_since = s.DateTimeField(allow_null=True)


class LaneView(s.Serializer[Any]):
    """The life of a member, or all lives on a host."""

    key = s.CharField(allow_blank=True, help_text="The life, or the host; empty: all others.")
    name = s.CharField()
    detail = s.CharField(allow_blank=True)
    lives = s.IntegerField()
    left = s.IntegerField(help_text="Lives that ended in this time.")
    lost = s.IntegerField(help_text="Of these, those of members that did not leave by themselves.")
    waited_ms = s.IntegerField(help_text="How long rebalances waited for them, in all.")
    spans = Span(many=True)
    steps = OwnedStep(many=True)
    waits = LaneWait(many=True)
    departures = LaneDeparture(many=True)


class TimelineRebalance(s.Serializer[Any]):
    """A rebalance that has ended; times without work are in partitions times milliseconds."""

    since = s.DateTimeField()
    until = s.DateTimeField()
    generation = s.IntegerField()
    outcome = s.CharField()
    members = s.IntegerField()
    moved = s.IntegerField()
    stopped_ms = s.IntegerField()
    silent_ms = s.IntegerField()
    unowned_ms = s.IntegerField()
    trigger = s.CharField(allow_blank=True)
    text = s.CharField()


class TimelineEvent(s.Serializer[Any]):
    """Something that happened beside rebalances."""

    at = s.DateTimeField()
    until = s.DateTimeField(allow_null=True)
    sort = s.ChoiceField(
        choices=[
            events.MARK,
            events.DEPLOY,
            events.OPERATOR,
            events.NODE,
            events.OUTAGE,
            events.GROUP_EVENT,
        ]
    )
    text = s.CharField()
    seq = s.IntegerField(allow_null=True, help_text="Its number in the journal, if it has one.")


class TimelineState(s.Serializer[Any]):
    """What the group was from a time on."""

    since = s.DateTimeField()
    until = s.DateTimeField()
    state = s.CharField()


class SlowestMember(s.Serializer[Any]):
    """The member that rebalances waited for longest."""

    member_id = s.CharField()
    name = s.CharField()
    ms = s.IntegerField()
    rebalances = s.IntegerField()


class TimelineCost(s.Serializer[Any]):
    """What the rebalances cost."""

    rebalances = s.IntegerField()
    moved = s.IntegerField()
    stopped_ms = s.IntegerField()
    silent_ms = s.IntegerField()
    unowned_ms = s.IntegerField()
    slowest = SlowestMember(allow_null=True)


class TimelineView(s.Serializer[Any]):
    """A group along time."""

    group_id = s.CharField()
    since = s.DateTimeField()
    until = s.DateTimeField()
    by = s.ChoiceField(choices=[MEMBER, HOST], help_text="What a lane is.")
    text = s.CharField(help_text="What the rebalances of this time cost, in a sentence.")
    cost = TimelineCost()
    lives = s.IntegerField()
    lanes = LaneView(many=True)
    states = TimelineState(many=True)
    rebalances = TimelineRebalance(many=True)
    events = TimelineEvent(many=True)
    cuts = s.ListField(child=s.CharField(), help_text="What was left out.")
