"""A group: its row, its members, its offsets, its settings, and its pauses."""

from django.db import models

from groups.models.base import WrittenBySql


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
            # KIP-345: only one member of a group has an instance id. Checked at COMMIT, since a
            # replacement removes one member and adds the next.
            models.UniqueConstraint(
                fields=["group", "instance_id"],
                name="member_instance_once",
                deferrable=models.Deferrable.DEFERRED,
            )
        ]

    def __str__(self) -> str:
        return self.member_id


class Offset(WrittenBySql):
    """One committed offset. No foreign key, which would cost for two thousand rows in a
    transaction."""

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
    """One own setting of a group, which need not exist."""

    written_by = "groups.runtime.group_configs"

    pk = models.CompositePrimaryKey("group_id", "name")
    group_id = models.TextField(db_collation="C")
    name = models.TextField(db_collation="C")
    slot = models.SmallIntegerField(help_text="The group's; its owner goes by what stands here.")
    value = models.TextField()
    updated_at = models.DateTimeField()
    until = models.DateTimeField(
        null=True, help_text="Of a freeze: when it ends by itself; null: when somebody thaws it."
    )

    class Meta:
        db_table = "rollcall_group_config"
        indexes = [
            models.Index(fields=["slot"], name="group_config_by_slot"),
            models.Index(
                fields=["until"],
                name="group_config_ends",
                condition=models.Q(until__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.group_id}: {self.name}={self.value}"


class Pause(WrittenBySql):
    """Work that an operator has stopped: of a whole group, or of one member.

    It outlives members, owners and restarts; ``Follower`` shows which members obey it.
    """

    written_by = "groups.operations.pauses"

    pk = models.CompositePrimaryKey("group_id", "scope", "name")
    group_id = models.TextField(db_collation="C")
    scope = models.TextField(help_text='"group", "instance" (a static member) or "member".')
    name = models.TextField(db_collation="C", blank=True, help_text="Empty for a whole group.")
    slot = models.SmallIntegerField(help_text="The group's; its owner goes by what stands here.")
    pause_id = models.BigIntegerField(help_text="The operation that requested it.")
    actor = models.TextField()
    reason = models.TextField()
    since = models.DateTimeField()

    class Meta:
        db_table = "rollcall_pause"
        indexes = [models.Index(fields=["slot"], name="pause_by_slot")]

    def __str__(self) -> str:
        return f"{self.group_id}: {self.name or 'all'} stopped"


class Follower(WrittenBySql):
    """A member that polls for orders, and the last one that it obeyed.

    A member without a row does not poll: only Rollcall's own client does. No foreign keys: groups
    of thousands lose their members at once.
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
