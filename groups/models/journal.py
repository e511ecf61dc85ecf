"""Decisions, and operators' requests."""

from typing import TypeAlias

from django.db import models
from django.db.models.fields.json import KeyTextTransform

from groups.core import operations
from groups.core.journal import EntryKind

ABOUT_TOPICS = models.Q(kind__startswith="topic-")
"""Entries about a topic; they have no group, and the topic is in their details."""


class Journal(models.Model):
    """A decision about a group and its reason; written with the decision, never changed."""

    id = models.BigAutoField(primary_key=True)
    at = models.DateTimeField()
    group_id = models.TextField(db_collation="C")
    revision = models.BigIntegerField()
    node_id = models.IntegerField()
    kind = models.TextField()
    trigger = models.TextField(blank=True)
    reason = models.TextField(blank=True)
    client_reason = models.TextField(blank=True, default="", db_default="")
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
        indexes = [
            models.Index(fields=["group_id", "-id"], name="journal_of_group"),
            # The newest rebalance of each group on a page of groups.
            models.Index(
                fields=["group_id", "-id"],
                name="journal_rebalances",
                condition=models.Q(kind=EntryKind.REBALANCE_COMPLETED),
            ),
            models.Index(
                KeyTextTransform("topic", "details"),
                models.F("id").desc(),
                name="journal_of_topic",
                condition=ABOUT_TOPICS,
            ),
        ]

    def __str__(self) -> str:
        return f"{self.group_id}: {self.kind}"


class Operation(models.Model):
    """An operator's request: a row to insert, which the group's owner executes as an event."""

    Verb: TypeAlias = operations.Name

    class State(models.TextChoices):
        """``pending`` until the owner has decided; ``running`` until the effect is complete."""

        PENDING = "pending"
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"

    class Outcome(models.TextChoices):
        """Whether a successful operation changed anything."""

        CHANGED = "changed"
        UNCHANGED = "unchanged"

    id = models.BigAutoField(primary_key=True)
    group_id = models.TextField(db_collation="C")
    slot = models.SmallIntegerField()
    verb = models.TextField(choices=operations.choices)
    member_id = models.TextField(blank=True)
    reason = models.TextField()
    actor = models.TextField()
    expected_generation = models.IntegerField(null=True)
    restore_to = models.DateTimeField(
        null=True, help_text="For restore-offsets: the time whose offsets are restored."
    )
    until = models.DateTimeField(
        null=True,
        help_text="For freeze: when it ends. For thaw: a freeze with a later end is not thawed.",
    )
    offsets = models.JSONField(
        null=True,
        help_text='For reset-offsets: "how"; and [topic, partition, offset] of "to", "before".',
    )
    prediction = models.JSONField(
        null=True,
        help_text='What it was expected to do: "text", and figures of what moves; empty: nobody'
        " asked.",
    )
    idempotency_key = models.TextField(null=True, unique=True)
    traceparent = models.TextField(
        null=True, help_text="The trace of the request that asked for it (W3C), where it is traced."
    )
    state = models.TextField(choices=State.choices, default=State.PENDING)
    outcome = models.TextField(
        choices=Outcome.choices,
        null=True,
        help_text="Of one that succeeded: whether there was anything to do.",
    )
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
            models.Index(
                fields=["finished_at"],
                name="operation_finished",
                condition=models.Q(finished_at__isnull=False),
            ),
        ]
        permissions = [
            ("rebalance_group", "Can force a rebalance"),
            ("evict_member", "Can evict a member"),
            ("pause_group", "Can stop and start the work of a group or member"),
            ("freeze_group", "Can freeze and thaw a group"),
            ("restore_offsets", "Can rewind a group's offsets to an earlier time"),
        ]

    def __str__(self) -> str:
        return f"{self.verb} {self.group_id}"
