"""State that owners write for other processes. Most of it is unlogged, since after a crash it is
written again."""

from django.db import models

from groups.models.group import Group


class Liveness(models.Model):
    """A member's last heartbeat, as its owner wrote it at most twice per session timeout, and
    whenever it gives the slot away: a new owner goes on from here (``groups.core.earlier``).

    Lower bounds: there may have been later heartbeats. No foreign keys and no revision; the table
    is unlogged, since after a crash of PostgreSQL all rows are written again.
    """

    pk = models.CompositePrimaryKey("group_id", "member_id")
    group_id = models.TextField(db_collation="C")
    member_id = models.TextField(db_collation="C")
    heard_at = models.DateTimeField()
    deadline_at = models.DateTimeField(
        help_text="When the session ends, if nothing was heard since then."
    )
    since_ms = models.BigIntegerField(
        null=True,
        help_text="Since when the silence counts, in the slot's service time.",
    )

    class Meta:
        db_table = "rollcall_liveness"
        verbose_name_plural = "liveness"
        indexes = [models.Index(fields=["deadline_at"], name="liveness_by_deadline")]

    def __str__(self) -> str:
        return f"{self.member_id} until {self.deadline_at}"


class Waiting(models.Model):
    """What a rebalancing group waits for, as its owner wrote it about once a second
    (``groups.reporting.waiting``). Times in ``details`` are relative to ``told_at``.

    Unlogged and without foreign keys: after a crash it is written again.
    """

    group_id = models.TextField(primary_key=True, db_collation="C")
    node_id = models.IntegerField()
    revision = models.BigIntegerField()
    details = models.JSONField()
    waits = models.JSONField(
        db_default={},
        help_text="Group.waits, in the slot's service time: a new owner goes on from here.",
    )
    told_at = models.DateTimeField()

    class Meta:
        db_table = "rollcall_waiting"
        verbose_name_plural = "waiting"

    def __str__(self) -> str:
        return f"{self.group_id} at {self.told_at}"


class GroupCounts(models.Model):
    """How much work a group has, as its owner counted it after its last change
    (``groups.reporting.group_counts``): lists are ordered by it. A group without a row has not
    been counted yet.

    Without a foreign key, which would lock the group's row.
    """

    group = models.OneToOneField(
        Group,
        on_delete=models.DO_NOTHING,
        primary_key=True,
        db_constraint=False,
        related_name="counts",
    )
    members = models.IntegerField(
        null=True, help_text="Null until a node of this version has counted the group."
    )
    topics = models.IntegerField(help_text="Topics to which a member subscribes.")
    partitions = models.BigIntegerField(help_text="Partitions of these topics.")
    unowned = models.BigIntegerField(help_text="Those that no member owns.")
    last_rebalance = models.BigIntegerField(
        null=True,
        help_text="The journal entry of the last completed rebalance: later ones are greater.",
    )

    class Meta:
        db_table = "rollcall_group_counts"
        default_permissions = ()
        verbose_name_plural = "group counts"

    def __str__(self) -> str:
        return f"{self.group_id}: {self.topics} topics"


class LastHour(models.Model):
    """A view: how many rebalances each group completed within the last hour, among the newest
    20,000 journal entries. A group without any has no row.

    A join to it reads these entries once for a list of all groups, whatever the journal's length.
    """

    group = models.OneToOneField(
        Group,
        on_delete=models.DO_NOTHING,
        primary_key=True,
        db_constraint=False,
        related_name="last_hour",
    )
    rebalances = models.BigIntegerField()

    class Meta:
        db_table = "rollcall_last_hour"
        managed = False
        default_permissions = ()
        verbose_name_plural = "last hour"

    def __str__(self) -> str:
        return f"{self.group_id}: {self.rebalances} rebalances"


class ClientConnection(models.Model):
    """A client's connection to a node, as the node wrote it at the last request
    (``groups.reporting.client_connections``). ``number`` counts the connections of a process.

    Unlogged: after a crash the next request writes it again.
    """

    pk = models.CompositePrimaryKey("node_id", "number")
    node_id = models.IntegerField()
    number = models.BigIntegerField()
    listener = models.TextField()
    address = models.TextField()
    principal = models.TextField()
    client_id = models.TextField(help_text="Of the connection's first request.")
    software = models.TextField(help_text="The client library, as ApiVersions names it.")
    software_version = models.TextField()
    groups = models.JSONField(help_text="Ids of the groups whose members use it.")
    connected_at = models.DateTimeField()

    class Meta:
        db_table = "rollcall_connection"

    def __str__(self) -> str:
        return f"connection {self.number} of node {self.node_id}"


class ConnectionsNoted(models.Model):
    """When a node last wrote its connections, and their number."""

    node_id = models.IntegerField(primary_key=True)
    noted_at = models.DateTimeField()
    connections = models.IntegerField()

    class Meta:
        db_table = "rollcall_connections_noted"
        default_permissions = ()
        verbose_name_plural = "connections noted"

    def __str__(self) -> str:
        return f"connections of node {self.node_id} at {self.noted_at}"
