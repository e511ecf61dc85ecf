"""The rows: what PostgreSQL holds, and nothing that decides.

Groups, members and offsets change only through ``groups.store.apply`` (docs/architecture.md, *One
door*): a save or delete by the ORM would pass by the guard, so it raises. Reading by the ORM is
welcome. Collation "C" compares group ids as bytes, which is what Kafka does and what indexes are
quickest at.
"""

from typing import Any, ClassVar, NoReturn

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.fields.json import KeyTextTransform

from groups.core.journal import EntryKind


class ReadOnly(models.QuerySet[Any]):
    """Rows that are read through the ORM and never written through it."""

    def _refuse(self, *_args: Any, **_values: Any) -> NoReturn:
        raise TypeError(f"{self.model.__name__} rows are written by {self.model.written_by} only")

    update = delete = create = bulk_create = bulk_update = _refuse
    get_or_create = update_or_create = _refuse


class WrittenBySql(models.Model):
    """A row that only the statements of ``written_by`` may write."""

    written_by: ClassVar = "groups.store.apply"

    objects = ReadOnly.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse: there is one door, and it is not this."""
        raise TypeError(f"{type(self).__name__} rows are written by {self.written_by} only")

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuse, for the same reason."""
        raise TypeError(f"{type(self).__name__} rows are deleted by {self.written_by} only")


class Group(WrittenBySql):
    """One group. ``generation`` is the group epoch where the kind is "consumer"."""

    group_id = models.TextField(primary_key=True, db_collation="C")
    slot = models.SmallIntegerField(help_text="The hash bucket; its owner owns the group.")
    kind = models.TextField(help_text='Which rules: "classic", "consumer", "draft", "commanded".')
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


class Member(WrittenBySql):
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


class Offset(WrittenBySql):
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


class GroupConfig(WrittenBySql):
    """One setting that a group has of its own, existing or not."""

    written_by = "groups.coordinator.group_configs"

    pk = models.CompositePrimaryKey("group_id", "name")
    group_id = models.TextField(db_collation="C")
    name = models.TextField(db_collation="C")
    slot = models.SmallIntegerField(help_text="The group's; its owner goes by what stands here.")
    value = models.TextField()
    updated_at = models.DateTimeField()

    class Meta:
        db_table = "rollcall_group_config"
        indexes = [models.Index(fields=["slot"], name="group_config_by_slot")]

    def __str__(self) -> str:
        return f"{self.group_id}: {self.name}={self.value}"


class Pause(WrittenBySql):
    """What an operator has stopped: a whole group, or one member of it.

    It outlives members, owners and restarts; who obeys it is told by ``Follower``.
    """

    written_by = "groups.operations.pauses"

    pk = models.CompositePrimaryKey("group_id", "scope", "name")
    group_id = models.TextField(db_collation="C")
    scope = models.TextField(help_text='"group", "instance" (a static member) or "member".')
    name = models.TextField(db_collation="C", blank=True, help_text="Empty for a whole group.")
    slot = models.SmallIntegerField(help_text="The group's; its owner goes by what stands here.")
    pause_id = models.BigIntegerField(help_text="The operation that asked for it.")
    actor = models.TextField()
    reason = models.TextField()
    since = models.DateTimeField()

    class Meta:
        db_table = "rollcall_pause"
        indexes = [models.Index(fields=["slot"], name="pause_by_slot")]

    def __str__(self) -> str:
        return f"{self.group_id}: {self.name or 'all'} stopped"


class Follower(WrittenBySql):
    """A member that listens to commands, and what it obeyed last.

    A member without a row does not listen: no client but Rollcall's own does. No foreign keys:
    groups of thousands lose their members at once.
    """

    written_by = "groups.operations.pause_acks"

    pk = models.CompositePrimaryKey("group_id", "member_id")
    group_id = models.TextField(db_collation="C")
    member_id = models.TextField(db_collation="C")
    obeying = models.BigIntegerField(help_text="The id of a pause; 0: the member works.")
    at = models.DateTimeField()

    class Meta:
        db_table = "rollcall_follower"

    def __str__(self) -> str:
        return f"{self.member_id} obeys {self.obeying}"


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
    """A coordinator process. ``beat`` rises while it lives; see ``groups.cluster.slot_keeper``."""

    node_id = models.IntegerField(primary_key=True)
    incarnation = models.UUIDField(help_text="A new one at each start of the process.")
    beat = models.BigIntegerField()
    host = models.TextField(help_text="The address that clients are told.")
    port = models.IntegerField()
    draft_port = models.IntegerField(
        default=0, db_default=0, help_text="Of the listener for the 0.9 draft; 0: there is none."
    )
    started_at = models.DateTimeField()
    beat_at = models.DateTimeField(help_text="For people to read; nothing is decided by it.")
    lease_ms = models.IntegerField(
        default=3_000, db_default=3_000, help_text="The others wait for so long when it is silent."
    )
    takes_slots = models.BooleanField(
        default=True, db_default=True, help_text="Not while it could not load what it had."
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


ABOUT_TOPICS = models.Q(kind__startswith="topic-")
"""Entries about a topic; they belong to no group, and their details name it."""


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
    """An operator's verb: a row to insert, which the group's owner steps as an event."""

    class Verb(models.TextChoices):
        """What may be asked of a group."""

        REBALANCE = "rebalance"
        EVICT = "evict"
        EXPIRE_OFFSETS = "expire-offsets"
        RESTORE_OFFSETS = "restore-offsets"
        RESET_OFFSETS = "reset-offsets"
        PAUSE = "pause"
        RESUME = "resume"
        FREEZE = "freeze"
        THAW = "thaw"
        DELETE = "delete"

    class State(models.TextChoices):
        """``pending`` until the owner decided; ``running`` until the effect is reached."""

        PENDING = "pending"
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"

    class Outcome(models.TextChoices):
        """Of what succeeded: whether anything came of it."""

        CHANGED = "changed"
        UNCHANGED = "unchanged"

    id = models.BigAutoField(primary_key=True)
    group_id = models.TextField(db_collation="C")
    slot = models.SmallIntegerField()
    verb = models.TextField(choices=Verb.choices)
    member_id = models.TextField(blank=True)
    reason = models.TextField()
    actor = models.TextField()
    expected_generation = models.IntegerField(null=True)
    restore_to = models.DateTimeField(
        null=True, help_text="For restore-offsets: as they were then."
    )
    offsets = models.JSONField(
        null=True,
        help_text='For reset-offsets: "how"; and [topic, partition, offset] of "to", "before".',
    )
    idempotency_key = models.TextField(null=True, unique=True)
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


class Liveness(models.Model):
    """When a member was last heard of, as its owner noted at most twice per session timeout.

    Lower bounds: the member may have been heard of since. No foreign keys and no revision; the
    table is unlogged, since after a crash of PostgreSQL everybody is simply noted again.
    """

    pk = models.CompositePrimaryKey("group_id", "member_id")
    group_id = models.TextField(db_collation="C")
    member_id = models.TextField(db_collation="C")
    heard_at = models.DateTimeField()
    deadline_at = models.DateTimeField(
        help_text="When the session ends, if nothing was heard since then."
    )

    class Meta:
        db_table = "rollcall_liveness"
        verbose_name_plural = "liveness"
        indexes = [models.Index(fields=["deadline_at"], name="liveness_by_deadline")]

    def __str__(self) -> str:
        return f"{self.member_id} until {self.deadline_at}"


class Waiting(models.Model):
    """What a group waits for that does not settle, as its owner told about once a second
    (``groups.coordinator.waiting``). Times in ``details`` are relative to ``told_at``.

    Unlogged and without foreign keys: after a crash it is simply told again.
    """

    group_id = models.TextField(primary_key=True, db_collation="C")
    node_id = models.IntegerField()
    revision = models.BigIntegerField()
    details = models.JSONField()
    told_at = models.DateTimeField()

    class Meta:
        db_table = "rollcall_waiting"
        verbose_name_plural = "waiting"

    def __str__(self) -> str:
        return f"{self.group_id} at {self.told_at}"


class Watch(models.Model):
    """A slot under observation: the session sweep asks by number, the owner echoes it."""

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
    """A periodic task and how it went the last time."""

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


SCOPES = ("read", "operate", "offsets", "catalogue", "admin")
"""What tokens of earlier versions may do; ``groups.access.rights`` says what each means."""


class ApiToken(models.Model):
    """A bearer token of REST. Only its digest is kept; the token itself is shown once."""

    name = models.CharField(max_length=100, unique=True, help_text="What uses it.")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="+",
        help_text="The token may do what this user may do.",
    )
    prefix = models.CharField(max_length=16, editable=False, help_text="How it begins.")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(
        null=True, help_text="Empty only in tokens of earlier versions: never."
    )
    scopes = models.JSONField(
        default=list, db_default=[*SCOPES], help_text="What of its user's rights it may use."
    )
    made_by = models.TextField(
        blank=True, default="", db_default="", editable=False, help_text="Who made it."
    )
    session_hash = models.CharField(
        max_length=128,
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text="Of the user's password, where the token ends with it; else empty.",
    )
    used_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        db_table = "rollcall_api_token"
        verbose_name = "API token"

    def __str__(self) -> str:
        return self.name


class ScramCredential(models.Model):
    """A user of the Kafka port: what verifies the password for one SASL mechanism, and does not
    tell it. Nodes and manage.py read and write it, nobody else."""

    pk = models.CompositePrimaryKey("name", "mechanism")
    name = models.TextField(db_collation="C")
    mechanism = models.TextField(db_collation="C", help_text="SCRAM-SHA-256 or SCRAM-SHA-512.")
    salt = models.BinaryField()
    iterations = models.IntegerField()
    stored_key = models.BinaryField()
    server_key = models.BinaryField()
    updated_at = models.DateTimeField()

    class Meta:
        db_table = "rollcall_credential"

    def __str__(self) -> str:
        return f"{self.name} ({self.mechanism})"


class Acl(models.Model):
    """One access rule of the Kafka port, in Kafka's words (``groups.core.acls.bindings``). Made and
    deleted, never changed."""

    id = models.BigAutoField(primary_key=True)
    resource_type = models.TextField(help_text="TOPIC, GROUP, CLUSTER, TRANSACTIONAL_ID or USER.")
    name = models.TextField(db_collation="C", help_text="Of the resource; * means every one.")
    pattern = models.TextField(help_text="LITERAL or PREFIXED.")
    principal = models.TextField(db_collation="C", help_text="For instance User:ann, or User:*.")
    host = models.TextField(db_collation="C", help_text="An address, or *.")
    operation = models.TextField(help_text="For instance READ, or ALL.")
    permission = models.TextField(help_text="ALLOW or DENY; DENY wins.")
    created_at = models.DateTimeField()

    class Meta:
        db_table = "rollcall_acl"
        constraints = [
            models.UniqueConstraint(
                fields=[
                    "name",
                    "principal",
                    "resource_type",
                    "pattern",
                    "host",
                    "operation",
                    "permission",
                ],
                name="acl_once",
            ),
        ]

    def __str__(self) -> str:
        what = f"{self.operation} on {self.resource_type} {self.name} ({self.pattern})"
        return f"{self.permission} {self.principal} from {self.host}: {what}"


class AuditEntry(models.Model):
    """Who logged in, or failed to, and who changed what: written by triggers of the database and by
    ``groups.access.audit``, and never changed. ``at`` and ``login`` are PostgreSQL's own word."""

    id = models.BigAutoField(primary_key=True)
    at = models.DateTimeField(auto_now_add=True)
    login = models.TextField(default="", help_text="The database login that wrote it.")
    kind = models.TextField()
    who = models.TextField(db_collation="C", help_text="A user, or a principal of the wire.")
    address = models.TextField(blank=True, default="")
    client_id = models.TextField(blank=True, default="")
    request_id = models.TextField(blank=True, default="", help_text="X-Request-ID of the web.")
    target = models.TextField(blank=True, default="", help_text="What it was done to.")
    outcome = models.TextField(blank=True, default="")
    details = models.JSONField(default=dict)

    class Meta:
        db_table = "rollcall_audit"
        verbose_name_plural = "audit"
        indexes = [
            models.Index(fields=["at"], name="audit_by_time"),
            models.Index(fields=["who", "-id"], name="audit_by_who"),
            models.Index(fields=["kind", "-id"], name="audit_by_kind"),
            models.Index(fields=["outcome", "-id"], name="audit_by_outcome"),
        ]

    def __str__(self) -> str:
        return f"{self.who}: {self.kind}"


class ReportRun(models.Model):
    """One run of the pipeline: which part of the journal it read, and how it ended."""

    class State(models.TextChoices):
        """``running`` until it ended one way or the other."""

        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"

    id = models.BigAutoField(primary_key=True)
    kind = models.TextField(default="rebalances")
    state = models.TextField(choices=State.choices, default=State.RUNNING)
    requested_by = models.TextField(blank=True)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    last_journal_id = models.BigIntegerField(null=True)
    events = models.BigIntegerField(null=True)
    detail = models.TextField(blank=True)

    class Meta:
        db_table = "rollcall_report_run"
        indexes = [models.Index(fields=["kind", "-id"], name="report_run_newest")]

    def __str__(self) -> str:
        return f"{self.kind} #{self.pk}"


class RebalanceCost(models.Model):
    """A row of the report: what the rebalances of one group by one trigger cost."""

    run = models.ForeignKey(ReportRun, on_delete=models.CASCADE, related_name="costs")
    group_id = models.TextField(db_collation="C")
    trigger = models.TextField()
    rebalances = models.BigIntegerField()
    duration_ms = models.BigIntegerField(help_text="Of all of them together.")
    longest_ms = models.BigIntegerField()
    waited_ms = models.BigIntegerField(help_text="For the slowest member of each, summed.")
    slowest_member = models.TextField(null=True, help_text="Who was waited for longest at once.")
    partitions_moved = models.BigIntegerField()
    without_owner_ms = models.BigIntegerField(
        help_text="At most: known, or from each start until partitions were given out; summed."
    )
    without_owner_known_ms = models.BigIntegerField(
        default=0, db_default=0, help_text="What the journal has measured of it."
    )
    unknown_rebalances = models.BigIntegerField(
        default=0, db_default=0, help_text="Those of which the journal has measured nothing."
    )

    class Meta:
        db_table = "rollcall_rebalance_cost"
        constraints = [
            models.UniqueConstraint(
                fields=["run", "group_id", "trigger"], name="rebalance_cost_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.group_id}: {self.trigger}"
