"""The rows: what PostgreSQL holds of groups, and nothing that decides.

Groups, members and offsets change only through ``groups.store`` (design, *One
door*): a save or delete by the ORM would pass by the guard, so it raises.
Reading by the ORM is welcome. Collation "C" compares group ids as bytes, which
is what Kafka does and what indexes are quickest at.
"""

from typing import Any, NoReturn

from django.contrib.postgres.fields import ArrayField
from django.db import models


class ReadOnly(models.QuerySet[Any]):
    """Rows that are read through the ORM and never written through it."""

    def _refuse(self, *_args: Any, **_values: Any) -> NoReturn:
        raise TypeError(f"{self.model.__name__} rows are written by groups.store only")

    update = delete = create = bulk_create = bulk_update = _refuse
    get_or_create = update_or_create = _refuse


class WrittenByTheStore(models.Model):
    """A row that only ``groups.store`` may write."""

    objects = ReadOnly.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse: there is one door, and it is not this."""
        raise TypeError(f"{type(self).__name__} rows are written by groups.store only")

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse, for the same reason."""
        raise TypeError(f"{type(self).__name__} rows are deleted by groups.store only")


class Group(WrittenByTheStore):
    """One group. ``generation`` is the group epoch where the kind is "consumer"."""

    group_id = models.TextField(primary_key=True, db_collation="C")
    slot = models.SmallIntegerField(help_text="The hash bucket; its owner owns the group.")
    kind = models.TextField(help_text='Which rules: "classic", "consumer".')
    state = models.TextField()
    generation = models.IntegerField()
    protocol_type = models.TextField(blank=True)
    protocol_name = models.TextField(null=True)
    leader = models.TextField(null=True)
    details = models.JSONField(help_text="What only this kind of group needs.")
    revision = models.BigIntegerField(help_text="Raised by one at each durable change.")
    state_since = models.DateTimeField()
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        db_table = "rollcall_group"
        indexes = [models.Index(fields=["slot"], name="group_by_slot")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(generation__gte=0, revision__gt=0), name="group_counts_up"
            )
        ]

    def __str__(self) -> str:
        return self.group_id


class Member(WrittenByTheStore):
    """One member of one group, with its subscription and assignment as sent on the wire."""

    pk = models.CompositePrimaryKey("group_id", "member_id")
    group = models.ForeignKey(Group, on_delete=models.DO_NOTHING, related_name="members")
    member_id = models.TextField(db_collation="C")
    instance_id = models.TextField(null=True)
    client_id = models.TextField(blank=True)
    client_host = models.TextField(blank=True)
    session_timeout_ms = models.IntegerField()
    rebalance_timeout_ms = models.IntegerField()
    position = models.IntegerField(help_text="Order of arrival.")
    subscription = models.BinaryField()
    assignment = models.BinaryField()
    details = models.JSONField()
    joined_at = models.DateTimeField()

    class Meta:
        db_table = "rollcall_member"
        constraints = [
            # KIP-345: an instance id is held by one member of a group at a time. Checked at
            # COMMIT, since a replacement removes one holder and adds the next.
            models.UniqueConstraint(
                fields=["group", "instance_id"],
                name="member_instance_once",
                deferrable=models.Deferrable.DEFERRED,
            )
        ]

    def __str__(self) -> str:
        return self.member_id


class Offset(WrittenByTheStore):
    """One committed offset. No foreign key: two thousand a transaction would pay for it."""

    pk = models.CompositePrimaryKey("group_id", "topic", "partition")
    group_id = models.TextField(db_collation="C")
    topic = models.TextField(db_collation="C")
    partition = models.IntegerField()
    committed_offset = models.BigIntegerField()
    leader_epoch = models.IntegerField()
    metadata = models.TextField(blank=True)
    committed_at = models.DateTimeField()
    expires_at = models.DateTimeField(
        null=True, help_text="Only where the client named a retention itself (v2 to v4)."
    )

    class Meta:
        db_table = "rollcall_offset"
        indexes = [models.Index(fields=["topic", "partition"], name="offset_by_partition")]

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition} @ {self.committed_offset}"


class Topic(models.Model):
    """An entry of the catalogue: a topic is a name, an id and a number of units of work."""

    name = models.TextField(primary_key=True, db_collation="C")
    topic_id = models.UUIDField(unique=True)
    partitions = models.IntegerField()
    end_offsets = ArrayField(
        models.BigIntegerField(),
        default=list,
        blank=True,
        help_text="Where each partition's work ends, as far as somebody told; missing means 0.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "rollcall_topic"
        constraints = [
            models.CheckConstraint(condition=models.Q(partitions__gte=1), name="topic_has_work")
        ]

    def __str__(self) -> str:
        return self.name


class Node(models.Model):
    """A coordinator process. ``beat`` rises while it lives; see ``groups.slots``."""

    node_id = models.IntegerField(primary_key=True)
    incarnation = models.UUIDField(help_text="A new one at each start of the process.")
    beat = models.BigIntegerField()
    host = models.TextField(help_text="The address that clients are told.")
    port = models.IntegerField()
    started_at = models.DateTimeField()
    beat_at = models.DateTimeField(help_text="For people to read; nothing is decided by it.")

    class Meta:
        db_table = "rollcall_node"

    def __str__(self) -> str:
        return f"node {self.node_id}"


class Slot(models.Model):
    """One of the hash buckets of group ids. A row changes only when its owner does."""

    slot = models.SmallIntegerField(primary_key=True)
    node_id = models.IntegerField(null=True)
    incarnation = models.UUIDField(null=True)
    epoch = models.BigIntegerField(default=0, help_text="Raised at each change of owner.")

    class Meta:
        db_table = "rollcall_slot"

    def __str__(self) -> str:
        return f"slot {self.slot}"


class Journal(models.Model):
    """What was decided about a group and why; written with the decision, never changed."""

    id = models.BigAutoField(primary_key=True)
    at = models.DateTimeField()
    group_id = models.TextField(db_collation="C")
    revision = models.BigIntegerField()
    node_id = models.IntegerField()
    kind = models.TextField()
    trigger = models.TextField(blank=True)
    reason = models.TextField(blank=True)
    member_id = models.TextField(null=True)
    client_id = models.TextField(null=True)
    generation_before = models.IntegerField()
    generation_after = models.IntegerField()
    duration_ms = models.BigIntegerField(null=True)
    waited_for = models.JSONField()
    joined = models.JSONField()
    left = models.JSONField()
    details = models.JSONField()

    class Meta:
        db_table = "rollcall_journal"
        indexes = [models.Index(fields=["group_id", "-id"], name="journal_of_group")]

    def __str__(self) -> str:
        return f"{self.group_id}: {self.kind}"


class Operation(models.Model):
    """An operator's verb: a row to insert, which the group's owner steps as an event."""

    class Verb(models.TextChoices):
        """What may be asked of a group."""

        REBALANCE = "rebalance"
        EVICT = "evict"

    class State(models.TextChoices):
        """``pending`` until the owner decided; ``running`` until the effect is reached."""

        PENDING = "pending"
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"

    id = models.BigAutoField(primary_key=True)
    group_id = models.TextField(db_collation="C")
    slot = models.SmallIntegerField()
    verb = models.TextField(choices=Verb.choices)
    member_id = models.TextField(blank=True)
    reason = models.TextField()
    actor = models.TextField()
    expected_generation = models.IntegerField(null=True)
    idempotency_key = models.TextField(null=True, unique=True)
    state = models.TextField(choices=State.choices, default=State.PENDING)
    detail = models.TextField(blank=True)
    generation = models.IntegerField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "rollcall_operation"
        indexes = [
            models.Index(
                fields=["slot"], name="operation_pending", condition=models.Q(state="pending")
            ),
            models.Index(fields=["group_id", "-id"], name="operation_of_group"),
        ]

    def __str__(self) -> str:
        return f"{self.verb} {self.group_id}"
