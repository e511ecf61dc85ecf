"""The catalogue. Shapes only."""

from typing import Any

from rest_framework import serializers as s

from console.api.fields import Line, PartitionCount, TopicName
from console.operations.racks import RACK_LENGTH_MAX, RACKS_PER_PARTITION_MAX
from groups.core.topics import (
    NAME_LENGTH_MAX,
    PARTITIONS_MAX,
)
from groups.models import (
    Topic,
)


class TopicView(s.ModelSerializer[Topic]):
    """A topic of the catalogue."""

    racks = s.ListField(child=s.ListField(child=s.CharField()), read_only=True)

    class Meta:
        model = Topic
        fields = ("name", "topic_id", "partitions", "end_offsets", "racks", "created_at")


class TopicUse(s.Serializer[Any]):
    """A group that uses a topic."""

    group_id = s.CharField(source="group.group_id")
    members = s.IntegerField(source="subscribers", help_text="Members that subscribe to the topic.")
    partitions = s.SerializerMethodField()
    has_committed = s.BooleanField()

    def get_partitions(self, use: Any) -> int:
        """Partitions of the topic that its members own."""
        return sum(len(numbers) for _, numbers in use.owners)


class TopicPlan(s.Serializer[Any]):
    """The topic as it would be (a dry run)."""

    dry_run = s.BooleanField()
    partitions_before = s.IntegerField(allow_null=True, help_text="null: there is no such topic.")
    topic = TopicView(allow_null=True, help_text="null: it would be deleted.")
    groups = s.IntegerField(help_text="Groups with committed offsets of the topic; 1,000 at most.")
    offsets_deleted = s.IntegerField(
        help_text="Committed offsets that would be deleted; 100,000 at most."
    )
    used_by = TopicUse(
        many=True, help_text="Groups with subscribed members or committed offsets; 20 at most."
    )


class PartitionView(s.Serializer[Any]):
    """A partition of a topic. It begins at 0, and its end is what ListOffsets returns."""

    partition = s.IntegerField()
    log_start_offset = s.IntegerField()
    log_end_offset = s.IntegerField(
        help_text="The greater of the catalogue's end and the greatest committed offset."
    )


class NewTopic(s.Serializer[Any]):
    """A new topic."""

    name = TopicName(max_length=NAME_LENGTH_MAX)
    partitions = PartitionCount()


class Growth(s.Serializer[Any]):
    """The new number of partitions of a topic."""

    partitions = PartitionCount()


class Places(s.Serializer[Any]):
    """The racks of a topic's partitions: a list for each partition, from the first on."""

    racks = s.ListField(
        child=s.ListField(
            child=Line(max_length=RACK_LENGTH_MAX),
            allow_empty=True,
            max_length=RACKS_PER_PARTITION_MAX,
        ),
        max_length=PARTITIONS_MAX,
    )
