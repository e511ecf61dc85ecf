"""State of the whole installation: the catalogue, the nodes, the slots, the periodic work."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now


class Topic(models.Model):
    """An entry of the catalogue: a topic is a name, an id and a number of units of work."""

    name = models.TextField(primary_key=True, db_collation="C")
    topic_id = models.UUIDField(unique=True)
    partitions = models.IntegerField()
    end_offsets = ArrayField(
        models.BigIntegerField(),
        default=list,
        blank=True,
        help_text="The known end offset of each partition; missing means 0.",
    )
    racks = models.JSONField(
        default=list,
        db_default=[],
        blank=True,
        help_text="For each partition the racks that are near to it; missing means none.",
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
    """A coordinator process. ``beat`` increases while it lives; see
    ``groups.cluster.slot_keeper``."""

    node_id = models.IntegerField(primary_key=True)
    incarnation = models.UUIDField(help_text="A new one at each start of the process.")
    beat = models.BigIntegerField()
    host = models.TextField(help_text="The address that clients receive.")
    port = models.IntegerField()
    draft_port = models.IntegerField(
        default=0, db_default=0, help_text="The port of the listener for the 0.9 draft; 0: none."
    )
    started_at = models.DateTimeField()
    beat_at = models.DateTimeField(help_text="For information only.")
    lease_ms = models.IntegerField(
        default=3_000, db_default=3_000, help_text="The others wait for so long when it is silent."
    )
    takes_slots = models.BooleanField(
        default=True, db_default=True, help_text="Not while it could not load what it had."
    )
    unclean_ends = models.IntegerField(
        default=0,
        db_default=0,
        help_text="How often in sequence it ended, or lost its slots, without handing them over.",
    )
    steady_since = models.DateTimeField(
        db_default=Now(), help_text="Since when it has neither ended nor lost its slots."
    )
    schema = models.TextField(
        default="", db_default="", help_text="The migration that its program knows as the last."
    )
    endpoints = ArrayField(
        models.TextField(),
        default=list,
        db_default=[],
        help_text="What clients of each listener are told, as NAME://host:port.",
    )

    clock_ms = models.BigIntegerField(
        null=True, help_text="Until when it could hear members at its last beat, by its clock."
    )

    class Meta:
        db_table = "rollcall_node"

    def __str__(self) -> str:
        return f"node {self.node_id}"


class Drain(models.Model):
    """A node that an operator has drained, by the node's id, since it outlives the process."""

    node_id = models.IntegerField(primary_key=True)
    actor = models.TextField()
    reason = models.TextField()
    since = models.DateTimeField()
    seen_at = models.DateTimeField(
        help_text="When the node was last seen; the drain of one that stays away is removed."
    )

    class Meta:
        db_table = "rollcall_drain"
        permissions = [("drain_node", "Can drain a node, and withdraw that")]

    def __str__(self) -> str:
        return f"drain of node {self.node_id}"


class NodeLease(models.Model):
    """A node id that belongs to a host: the ``place``-th of those that it asked for. The host is
    known by a number in its data directory (``groups.cluster.node_leases``)."""

    node_id = models.IntegerField(primary_key=True)
    host = models.UUIDField(help_text="The number in the data directory.")
    place = models.SmallIntegerField(help_text="Which of the host's nodes has this id, from 0 on.")
    starts = models.BigIntegerField(
        help_text="How often the host has started: a copy of its data directory knows fewer."
    )
    hostname = models.TextField(help_text="What the host called itself at its last start.")
    seen_at = models.DateTimeField(
        help_text="When the node was last seen; the id of one that stays away becomes free."
    )

    class Meta:
        db_table = "rollcall_node_lease"
        constraints = [
            models.UniqueConstraint(fields=["host", "place"], name="node_lease_of_host"),
        ]

    def __str__(self) -> str:
        return f"node id {self.node_id}"


class BeatLease(models.Model):
    """Which of the processes that could schedule the periodic work does it: a single row."""

    id = models.SmallIntegerField(primary_key=True, default=1)
    holder = models.UUIDField(help_text="A new one at each start of such a process.")
    until = models.DateTimeField(help_text="Another one may begin then.")

    class Meta:
        db_table = "rollcall_beat_lease"
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="beat_lease_is_one")]

    def __str__(self) -> str:
        return f"beat of {self.holder}"


class Slot(models.Model):
    """One of the hash buckets of group ids. A row changes only when its owner does."""

    slot = models.SmallIntegerField(primary_key=True)
    node_id = models.IntegerField(null=True)
    incarnation = models.UUIDField(null=True)
    epoch = models.BigIntegerField(default=0, help_text="Increased at each change of owner.")
    served_ms = models.BigIntegerField(
        db_default=0,
        help_text="Its service time when its last owner ended, or when its owner began.",
    )
    shift_ms = models.BigIntegerField(
        null=True,
        help_text="Service time less the owner's clock; null: it does not serve the slot (yet).",
    )
    ended_at = models.DateTimeField(
        null=True, help_text="When the last owner ended; null: unknown."
    )
    is_noted = models.BooleanField(
        db_default=False, help_text="Whether it wrote all members' last heartbeats before."
    )
    interruptions = models.JSONField(
        db_default=[], help_text="groups.core.earlier.Interruption, in order."
    )

    class Meta:
        db_table = "rollcall_slot"

    def __str__(self) -> str:
        return f"slot {self.slot}"


class Watch(models.Model):
    """A slot under observation: the session sweep sends a number, and the owner echoes it."""

    slot = models.SmallIntegerField(primary_key=True)
    probe = models.BigIntegerField(default=0)
    probed_at = models.DateTimeField(null=True)
    echo = models.BigIntegerField(default=0)
    echoed_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "rollcall_watch"
        verbose_name_plural = "watches"

    def __str__(self) -> str:
        return f"slot {self.slot}: {self.echo} of {self.probe}"


class Sweep(models.Model):
    """A periodic task and its last run."""

    name = models.TextField(primary_key=True)
    started_at = models.DateTimeField()
    took_ms = models.IntegerField()
    outcome = models.TextField(help_text="What it did, or why it failed.")
    failed = models.BooleanField(default=False)
    runs = models.BigIntegerField(default=1)
    failures = models.BigIntegerField(default=0)

    class Meta:
        db_table = "rollcall_sweep"

    def __str__(self) -> str:
        return self.name
