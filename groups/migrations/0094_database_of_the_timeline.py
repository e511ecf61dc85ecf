"""The database of 0.2.0, the first version that is released: all that its migrations made.

The SQL is beside this file. This migration has the name of the last one of 0.2.0, so a database of
that version has it already; one of an earlier version is refused (``groups.postgres.migrated``,
docs/decisions/0046-the-database-of-0.2.0.md). Django's writer wrote the models: a line each field.
"""
# ruff: noqa: E501

import uuid
from pathlib import Path

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Now

from groups.core.operations import choices

TABLES = Path(__file__).with_suffix(".sql").read_text()

OWN = """
INSERT INTO rollcall_timeline (system_identifier, timeline, jump, generations_after)
SELECT system_identifier, rollcall_server_timeline(), gen_random_uuid(), 0 FROM pg_control_system();
UPDATE rollcall_timeline SET timeline = timeline;
SELECT rollcall_turn_history(1);
SELECT rollcall_turn_facts(24, 1);
"""
"""Rows and partitions that say where and when they were made: the server and the database, and the
hours and days of the history."""

# fmt: off
MODELS = [
    migrations.CreateModel(
        name="Node",
        fields=[
            ("node_id", models.IntegerField(primary_key=True, serialize=False)),
            ("incarnation", models.UUIDField(help_text="A new one at each start of the process.")),
            ("beat", models.BigIntegerField()),
            ("host", models.TextField(help_text="The address that clients receive.")),
            ("port", models.IntegerField()),
            ("started_at", models.DateTimeField()),
            ("beat_at", models.DateTimeField(help_text="For information only.")),
            ("draft_port", models.IntegerField(db_default=0, default=0, help_text="The port of the listener for the 0.9 draft; 0: none.")),
            ("lease_ms", models.IntegerField(db_default=3000, default=3000, help_text="The others wait for so long when it is silent.")),
            ("takes_slots", models.BooleanField(db_default=True, default=True, help_text="Not while it could not load what it had.")),
            ("schema", models.TextField(db_default="", default="", help_text="The migration that its program knows as the last.")),
            ("endpoints", ArrayField(base_field=models.TextField(), db_default=[], default=list, help_text="What clients of each listener are told, as NAME://host:port.", size=None)),
            ("unclean_ends", models.IntegerField(db_default=0, default=0, help_text="How often in sequence it ended, or lost its slots, without handing them over.")),
            ("steady_since", models.DateTimeField(db_default=Now(), help_text="Since when it has neither ended nor lost its slots.")),
            ("clock_ms", models.BigIntegerField(help_text="Until when it could hear members at its last beat, by its clock.", null=True)),
        ],
        options={
            "db_table": "rollcall_node",
        },
    ),
    migrations.CreateModel(
        name="Slot",
        fields=[
            ("slot", models.SmallIntegerField(primary_key=True, serialize=False)),
            ("node_id", models.IntegerField(null=True)),
            ("incarnation", models.UUIDField(null=True)),
            ("epoch", models.BigIntegerField(default=0, help_text="Increased at each change of owner.")),
            ("served_ms", models.BigIntegerField(db_default=0, help_text="Its service time when its last owner ended, or when its owner began.")),
            ("shift_ms", models.BigIntegerField(help_text="Service time less the owner's clock; null: it does not serve the slot (yet).", null=True)),
            ("ended_at", models.DateTimeField(help_text="When the last owner ended; null: unknown.", null=True)),
            ("is_noted", models.BooleanField(db_default=False, help_text="Whether it wrote all members' last heartbeats before.")),
            ("interruptions", models.JSONField(db_default=[], help_text="groups.core.earlier.Interruption, in order.")),
        ],
        options={
            "db_table": "rollcall_slot",
        },
    ),
    migrations.CreateModel(
        name="Group",
        fields=[
            ("group_id", models.TextField(db_collation="C", primary_key=True, serialize=False)),
            ("slot", models.SmallIntegerField(help_text="The hash bucket; its owner owns the group.")),
            ("kind", models.TextField(help_text='Which rules: "classic", "consumer", "draft", "commanded".')),
            ("state", models.TextField()),
            ("generation", models.IntegerField()),
            ("protocol_type", models.TextField(blank=True)),
            ("protocol_name", models.TextField(null=True)),
            ("leader", models.TextField(null=True)),
            ("details", models.JSONField(help_text="What only this kind of group needs.")),
            ("revision", models.BigIntegerField(help_text="Raised by one at each durable change.")),
            ("state_since", models.DateTimeField()),
            ("created_at", models.DateTimeField()),
            ("updated_at", models.DateTimeField()),
        ],
        options={
            "db_table": "rollcall_group",
            "indexes": [models.Index(fields=["slot"], name="group_by_slot")],
            "constraints": [models.CheckConstraint(condition=models.Q(("generation__gte", 0), ("revision__gt", 0)), name="group_counts_up")],
        },
    ),
    migrations.CreateModel(
        name="Journal",
        fields=[
            ("id", models.BigAutoField(primary_key=True, serialize=False)),
            ("at", models.DateTimeField()),
            ("group_id", models.TextField(db_collation="C")),
            ("revision", models.BigIntegerField()),
            ("node_id", models.IntegerField()),
            ("kind", models.TextField()),
            ("trigger", models.TextField(blank=True)),
            ("reason", models.TextField(blank=True)),
            ("member_id", models.TextField(null=True)),
            ("client_id", models.TextField(null=True)),
            ("generation_before", models.IntegerField()),
            ("generation_after", models.IntegerField()),
            ("duration_ms", models.BigIntegerField(null=True)),
            ("waited_for", models.JSONField()),
            ("joined", models.JSONField()),
            ("left", models.JSONField()),
            ("details", models.JSONField()),
            ("client_reason", models.TextField(blank=True, db_default="", default="")),
        ],
        options={
            "db_table": "rollcall_journal",
            "indexes": [
                models.Index(fields=["group_id", "-id"], name="journal_of_group"),
                models.Index(condition=models.Q(("kind", "rebalance-completed")), fields=["group_id", "-id"], name="journal_rebalances"),
                models.Index(KeyTextTransform("topic", "details"), models.OrderBy(models.F("id"), descending=True), condition=models.Q(("kind__startswith", "topic-")), name="journal_of_topic"),
            ],
        },
    ),
    migrations.CreateModel(
        name="Offset",
        fields=[
            ("pk", models.CompositePrimaryKey("group_id", "topic", "partition", blank=True, editable=False, primary_key=True, serialize=False)),
            ("group_id", models.TextField(db_collation="C")),
            ("topic", models.TextField(db_collation="C")),
            ("partition", models.IntegerField()),
            ("committed_offset", models.BigIntegerField()),
            ("leader_epoch", models.IntegerField()),
            ("metadata", models.TextField(blank=True)),
            ("committed_at", models.DateTimeField()),
            ("expires_at", models.DateTimeField(help_text="Only where the client named a retention itself (v2 to v4).", null=True)),
        ],
        options={
            "db_table": "rollcall_offset",
            "indexes": [models.Index(fields=["topic", "partition"], name="offset_by_partition")],
        },
    ),
    migrations.CreateModel(
        name="Operation",
        fields=[
            ("id", models.BigAutoField(primary_key=True, serialize=False)),
            ("group_id", models.TextField(db_collation="C")),
            ("slot", models.SmallIntegerField()),
            ("verb", models.TextField(choices=choices)),
            ("member_id", models.TextField(blank=True)),
            ("reason", models.TextField()),
            ("actor", models.TextField()),
            ("expected_generation", models.IntegerField(null=True)),
            ("idempotency_key", models.TextField(null=True, unique=True)),
            ("state", models.TextField(choices=[("pending", "Pending"), ("running", "Running"), ("succeeded", "Succeeded"), ("failed", "Failed")], default="pending")),
            ("detail", models.TextField(blank=True)),
            ("generation", models.IntegerField(null=True)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("finished_at", models.DateTimeField(null=True)),
            ("restore_to", models.DateTimeField(help_text="For restore-offsets: the time whose offsets are restored.", null=True)),
            ("outcome", models.TextField(choices=[("changed", "Changed"), ("unchanged", "Unchanged")], help_text="Of one that succeeded: whether there was anything to do.", null=True)),
            ("offsets", models.JSONField(help_text='For reset-offsets: "how"; and [topic, partition, offset] of "to", "before".', null=True)),
            ("until", models.DateTimeField(help_text="For freeze: when it ends. For thaw: a freeze with a later end is not thawed.", null=True)),
            ("traceparent", models.TextField(help_text="The trace of the request that asked for it (W3C), where it is traced.", null=True)),
            ("prediction", models.JSONField(help_text='What it was expected to do: "text", and figures of what moves; empty: nobody asked.', null=True)),
        ],
        options={
            "db_table": "rollcall_operation",
            "indexes": [models.Index(condition=models.Q(("state", "pending")), fields=["slot"], name="operation_pending"), models.Index(fields=["group_id", "-id"], name="operation_of_group"), models.Index(condition=models.Q(("finished_at__isnull", False)), fields=["finished_at"], name="operation_finished")],
            "permissions": [("rebalance_group", "Can force a rebalance"), ("evict_member", "Can evict a member"), ("pause_group", "Can stop and start the work of a group or member"), ("freeze_group", "Can freeze and thaw a group"), ("restore_offsets", "Can rewind a group's offsets to an earlier time")],
        },
    ),
    migrations.CreateModel(
        name="Topic",
        fields=[
            ("name", models.TextField(db_collation="C", primary_key=True, serialize=False)),
            ("topic_id", models.UUIDField(unique=True)),
            ("partitions", models.IntegerField()),
            ("end_offsets", ArrayField(base_field=models.BigIntegerField(), blank=True, default=list, help_text="The known end offset of each partition; missing means 0.", size=None)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("racks", models.JSONField(blank=True, db_default=[], default=list, help_text="For each partition the racks that are near to it; missing means none.")),
        ],
        options={
            "db_table": "rollcall_topic",
            "constraints": [models.CheckConstraint(condition=models.Q(("partitions__gte", 1)), name="topic_has_work")],
        },
    ),
    migrations.CreateModel(
        name="Member",
        fields=[
            ("pk", models.CompositePrimaryKey("group_id", "member_id", blank=True, editable=False, primary_key=True, serialize=False)),
            ("member_id", models.TextField(db_collation="C")),
            ("instance_id", models.TextField(null=True)),
            ("client_id", models.TextField(blank=True)),
            ("client_host", models.TextField(blank=True)),
            ("session_timeout_ms", models.IntegerField()),
            ("rebalance_timeout_ms", models.IntegerField()),
            ("position", models.IntegerField(help_text="Order of arrival.")),
            ("subscription", models.BinaryField()),
            ("assignment", models.BinaryField()),
            ("details", models.JSONField()),
            ("joined_at", models.DateTimeField()),
            ("group", models.ForeignKey(on_delete=models.DO_NOTHING, related_name="members", to="groups.group")),
        ],
        options={
            "db_table": "rollcall_member",
            "constraints": [models.UniqueConstraint(deferrable=models.Deferrable["DEFERRED"], fields=("group", "instance_id"), name="member_instance_once")],
        },
    ),
    migrations.CreateModel(
        name="ApiToken",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            ("name", models.CharField(help_text="The client that uses it.", max_length=100, unique=True)),
            ("prefix", models.CharField(editable=False, help_text="Its first characters.", max_length=16)),
            ("digest", models.CharField(editable=False, max_length=64, unique=True)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("expires_at", models.DateTimeField(help_text="Empty only in tokens of earlier versions: never.", null=True)),
            ("used_at", models.DateTimeField(editable=False, null=True)),
            ("user", models.ForeignKey(help_text="The token may do what this user may do.", on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)),
            ("made_by", models.TextField(blank=True, db_default="", default="", editable=False, help_text="The user who created it.")),
            ("scopes", models.JSONField(db_default=["read", "operate", "offsets", "catalogue", "admin"], default=list, help_text="The scopes: which of its user's rights it has.")),
            ("session_hash", models.CharField(blank=True, db_default="", default="", editable=False, help_text="A digest of the user's password if the token ends with it; otherwise empty.", max_length=128)),
        ],
        options={
            "verbose_name": "API token",
            "db_table": "rollcall_api_token",
        },
    ),
    migrations.CreateModel(
        name="Liveness",
        fields=[
            ("pk", models.CompositePrimaryKey("group_id", "member_id", blank=True, editable=False, primary_key=True, serialize=False)),
            ("group_id", models.TextField(db_collation="C")),
            ("member_id", models.TextField(db_collation="C")),
            ("heard_at", models.DateTimeField()),
            ("deadline_at", models.DateTimeField(help_text="When the session ends, if nothing was heard since then.")),
            ("since_ms", models.BigIntegerField(help_text="Since when the silence counts, in the slot's service time.", null=True)),
        ],
        options={
            "verbose_name_plural": "liveness",
            "db_table": "rollcall_liveness",
            "indexes": [models.Index(fields=["deadline_at"], name="liveness_by_deadline")],
        },
    ),
    migrations.CreateModel(
        name="ReportRun",
        fields=[
            ("id", models.BigAutoField(primary_key=True, serialize=False)),
            ("state", models.TextField(choices=[("running", "Running"), ("succeeded", "Succeeded"), ("failed", "Failed")], default="running")),
            ("requested_by", models.TextField(blank=True)),
            ("started_at", models.DateTimeField()),
            ("finished_at", models.DateTimeField(null=True)),
            ("last_journal_id", models.BigIntegerField(null=True)),
            ("events", models.BigIntegerField(null=True)),
            ("detail", models.TextField(blank=True)),
            ("stage", models.TextField(blank=True, db_default="", default="", help_text="What it does now, while it runs.")),
            ("percent", models.SmallIntegerField(db_default=0, default=0, help_text="How much of it is done, in per cent.")),
            ("as_of", models.DateTimeField(help_text="The moment at which the database was read; periods end there.", null=True)),
            ("reports", models.JSONField(db_default=models.Value([], models.JSONField()), default=list, help_text="The reports that it made: title, question, keys and figures of each.")),
        ],
        options={
            "db_table": "rollcall_report_run",
        },
    ),
    migrations.CreateModel(
        name="Sweep",
        fields=[
            ("name", models.TextField(primary_key=True, serialize=False)),
            ("started_at", models.DateTimeField()),
            ("took_ms", models.IntegerField()),
            ("outcome", models.TextField(help_text="What it did, or why it failed.")),
            ("failed", models.BooleanField(default=False)),
            ("runs", models.BigIntegerField(default=1)),
            ("failures", models.BigIntegerField(default=0)),
        ],
        options={
            "db_table": "rollcall_sweep",
        },
    ),
    migrations.CreateModel(
        name="Watch",
        fields=[
            ("slot", models.SmallIntegerField(primary_key=True, serialize=False)),
            ("probe", models.BigIntegerField(default=0)),
            ("probed_at", models.DateTimeField(null=True)),
            ("echo", models.BigIntegerField(default=0)),
            ("echoed_at", models.DateTimeField(null=True)),
        ],
        options={
            "verbose_name_plural": "watches",
            "db_table": "rollcall_watch",
        },
    ),
    migrations.CreateModel(
        name="GroupConfig",
        fields=[
            ("pk", models.CompositePrimaryKey("group_id", "name", blank=True, editable=False, primary_key=True, serialize=False)),
            ("group_id", models.TextField(db_collation="C")),
            ("name", models.TextField(db_collation="C")),
            ("slot", models.SmallIntegerField(help_text="The group's; its owner goes by what stands here.")),
            ("value", models.TextField()),
            ("updated_at", models.DateTimeField()),
            ("until", models.DateTimeField(help_text="Of a freeze: when it ends by itself; null: when somebody thaws it.", null=True)),
        ],
        options={
            "db_table": "rollcall_group_config",
            "indexes": [models.Index(fields=["slot"], name="group_config_by_slot"), models.Index(condition=models.Q(("until__isnull", False)), fields=["until"], name="group_config_ends")],
        },
    ),
    migrations.CreateModel(
        name="Follower",
        fields=[
            ("pk", models.CompositePrimaryKey("group_id", "member_id", blank=True, editable=False, primary_key=True, serialize=False)),
            ("group_id", models.TextField(db_collation="C")),
            ("member_id", models.TextField(db_collation="C")),
            ("obeying", models.BigIntegerField(help_text="The id of a pause; 0: the member works.")),
            ("at", models.DateTimeField()),
        ],
        options={
            "db_table": "rollcall_follower",
        },
    ),
    migrations.CreateModel(
        name="Pause",
        fields=[
            ("pk", models.CompositePrimaryKey("group_id", "scope", "name", blank=True, editable=False, primary_key=True, serialize=False)),
            ("group_id", models.TextField(db_collation="C")),
            ("scope", models.TextField(help_text='"group", "instance" (a static member) or "member".')),
            ("name", models.TextField(blank=True, db_collation="C", help_text="Empty for a whole group.")),
            ("slot", models.SmallIntegerField(help_text="The group's; its owner goes by what stands here.")),
            ("pause_id", models.BigIntegerField(help_text="The operation that requested it.")),
            ("actor", models.TextField()),
            ("reason", models.TextField()),
            ("since", models.DateTimeField()),
        ],
        options={
            "db_table": "rollcall_pause",
            "indexes": [models.Index(fields=["slot"], name="pause_by_slot")],
        },
    ),
    migrations.CreateModel(
        name="ScramCredential",
        fields=[
            ("pk", models.CompositePrimaryKey("name", "mechanism", blank=True, editable=False, primary_key=True, serialize=False)),
            ("name", models.TextField(db_collation="C")),
            ("mechanism", models.TextField(db_collation="C", help_text="SCRAM-SHA-256 or SCRAM-SHA-512.")),
            ("salt", models.BinaryField()),
            ("iterations", models.IntegerField()),
            ("stored_key", models.BinaryField()),
            ("server_key", models.BinaryField()),
            ("updated_at", models.DateTimeField()),
            ("user_since", models.DateTimeField(db_default=Now(), help_text="When the user was created: the same for each mechanism.")),
        ],
        options={
            "db_table": "rollcall_credential",
        },
    ),
    migrations.CreateModel(
        name="Waiting",
        fields=[
            ("group_id", models.TextField(db_collation="C", primary_key=True, serialize=False)),
            ("node_id", models.IntegerField()),
            ("revision", models.BigIntegerField()),
            ("details", models.JSONField()),
            ("told_at", models.DateTimeField()),
            ("waits", models.JSONField(db_default={}, help_text="Group.waits, in the slot's service time: a new owner goes on from here.")),
        ],
        options={
            "db_table": "rollcall_waiting",
            "verbose_name_plural": "waiting",
        },
    ),
    migrations.CreateModel(
        name="Acl",
        fields=[
            ("id", models.BigAutoField(primary_key=True, serialize=False)),
            ("resource_type", models.TextField(help_text="TOPIC, GROUP, CLUSTER, TRANSACTIONAL_ID or USER.")),
            ("name", models.TextField(db_collation="C", help_text="The resource's name; * means every one.")),
            ("pattern", models.TextField(help_text="LITERAL or PREFIXED.")),
            ("principal", models.TextField(db_collation="C", help_text="For example User:ann, or User:*.")),
            ("host", models.TextField(db_collation="C", help_text="An address, or *.")),
            ("operation", models.TextField(help_text="For example READ, or ALL.")),
            ("permission", models.TextField(help_text="ALLOW or DENY; DENY wins.")),
            ("created_at", models.DateTimeField()),
        ],
        options={
            "db_table": "rollcall_acl",
            "constraints": [models.UniqueConstraint(fields=("name", "principal", "resource_type", "pattern", "host", "operation", "permission"), name="acl_once")],
            "verbose_name": "ACL",
        },
    ),
    migrations.CreateModel(
        name="AuditEntry",
        fields=[
            ("id", models.BigAutoField(primary_key=True, serialize=False)),
            ("at", models.DateTimeField(auto_now_add=True)),
            ("login", models.TextField(default="", help_text="The database login that wrote it.")),
            ("kind", models.TextField()),
            ("who", models.TextField(db_collation="C", help_text="A user, or a Kafka principal.")),
            ("address", models.TextField(blank=True, default="")),
            ("client_id", models.TextField(blank=True, default="")),
            ("request_id", models.TextField(blank=True, default="", help_text="X-Request-ID of the HTTP request.")),
            ("target", models.TextField(blank=True, default="", help_text="The object of the action.")),
            ("outcome", models.TextField(blank=True, default="")),
            ("details", models.JSONField(default=dict)),
        ],
        options={
            "db_table": "rollcall_audit",
            "verbose_name_plural": "audit",
            "indexes": [models.Index(fields=["at"], name="audit_by_time"), models.Index(fields=["who", "-id"], name="audit_by_who"), models.Index(fields=["kind", "-id"], name="audit_by_kind"), models.Index(fields=["outcome", "-id"], name="audit_by_outcome")],
        },
    ),
    migrations.CreateModel(
        name="KafkaUser",
        fields=[
            ("name", models.TextField(db_collation="C", help_text="The principal's name.", primary_key=True, serialize=False)),
            ("mechanisms", models.JSONField(help_text="Hash iterations, by mechanism.")),
            ("updated_at", models.DateTimeField(help_text="When its newest password was set.")),
        ],
        options={
            "verbose_name": "user of the Kafka port",
            "verbose_name_plural": "users of the Kafka port",
            "db_table": "rollcall_user",
            "managed": False,
        },
    ),
    migrations.CreateModel(
        name="ClientQuota",
        fields=[
            ("pk", models.CompositePrimaryKey("entity_type", "user_name", "client_id", "ip", "key", blank=True, editable=False, primary_key=True, serialize=False)),
            ("entity_type", models.TextField(help_text="What it is given to: client-id, ip, user, or client-id user.")),
            ("user_name", models.TextField(db_collation="C", help_text="Empty: every user that has none, or there is no such part.")),
            ("client_id", models.TextField(db_collation="C", help_text="The same of client ids.")),
            ("ip", models.TextField(db_collation="C", help_text="The same of addresses.")),
            ("key", models.TextField(help_text="For example request_percentage.")),
            ("value", models.FloatField()),
            ("updated_at", models.DateTimeField()),
        ],
        options={
            "db_table": "rollcall_quota",
        },
    ),
    migrations.CreateModel(
        name="FirstPassword",
        fields=[
            ("user", models.OneToOneField(on_delete=models.CASCADE, primary_key=True, related_name="+", serialize=False, to=settings.AUTH_USER_MODEL)),
            ("digest", models.CharField(help_text="A digest of the stored password hash.", max_length=64)),
        ],
        options={
            "db_table": "rollcall_first_password",
        },
    ),
    migrations.CreateModel(
        name="Acknowledgement",
        fields=[
            ("id", models.BigAutoField(primary_key=True, serialize=False)),
            ("rule", models.TextField(help_text="Its name, as in docs/operating.md.")),
            ("subject", models.TextField(blank=True, db_collation="C", help_text="The group, node, operation or task for which it fires; empty: the fleet.")),
            ("note", models.TextField(help_text="What is being done about it.")),
            ("actor", models.TextField()),
            ("at", models.DateTimeField(auto_now_add=True)),
            ("until", models.DateTimeField(blank=True, help_text="Empty: it ends with the situation.", null=True)),
        ],
        options={
            "db_table": "rollcall_acknowledgement",
            "constraints": [models.UniqueConstraint(fields=("rule", "subject"), name="acknowledged_once")],
        },
    ),
    migrations.CreateModel(
        name="Webhook",
        fields=[
            ("id", models.BigAutoField(primary_key=True, serialize=False)),
            ("name", models.CharField(help_text="The receiver.", max_length=100, unique=True)),
            ("url", models.CharField(help_text="https://..., public or allowed.", max_length=2000, verbose_name="URL")),
            ("events", models.JSONField(blank=True, default=list, help_text="The events that it receives; none selected: all.")),
            ("group_prefix", models.CharField(blank=True, default="", help_text="Only events of groups whose id has this prefix; empty: all events.", max_length=255)),
            ("enabled", models.BooleanField(default=True, help_text="Whether events are sent.")),
            ("disabled_because", models.TextField(blank=True, default="", editable=False)),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("failures", models.IntegerField(default=0, editable=False, help_text="Consecutive failures.")),
            ("failing_since", models.DateTimeField(editable=False, null=True)),
            ("not_before", models.DateTimeField(editable=False, null=True)),
            ("delivered_at", models.DateTimeField(editable=False, null=True)),
        ],
        options={
            "db_table": "rollcall_webhook",
            "ordering": ("name",),
        },
    ),
    migrations.CreateModel(
        name="WebhookCursor",
        fields=[
            ("name", models.TextField(primary_key=True, serialize=False)),
            ("state", models.JSONField()),
        ],
        options={
            "db_table": "rollcall_webhook_cursor",
            "default_permissions": (),
        },
    ),
    migrations.CreateModel(
        name="WebhookSecret",
        fields=[
            ("id", models.BigAutoField(primary_key=True, serialize=False)),
            ("secret", models.TextField()),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("webhook", models.ForeignKey(db_constraint=False, on_delete=models.DO_NOTHING, related_name="+", to="groups.webhook")),
        ],
        options={
            "db_table": "rollcall_webhook_secret",
            "default_permissions": (),
        },
    ),
    migrations.CreateModel(
        name="WebhookDelivery",
        fields=[
            ("id", models.BigAutoField(primary_key=True, serialize=False)),
            ("message_id", models.UUIDField(default=uuid.uuid4, help_text="The same in each attempt.")),
            ("key", models.TextField(help_text="Of the event; an endpoint is told once.")),
            ("type", models.TextField()),
            ("body", models.TextField()),
            ("created_at", models.DateTimeField(auto_now_add=True)),
            ("state", models.TextField(choices=[("pending", "Pending"), ("delivered", "Delivered"), ("failed", "Failed")], default="pending")),
            ("attempts", models.IntegerField(default=0)),
            ("next_at", models.DateTimeField()),
            ("finished_at", models.DateTimeField(null=True)),
            ("status", models.IntegerField(help_text="Of the last response.", null=True)),
            ("error", models.TextField(blank=True, default="")),
            ("answer", models.TextField(blank=True, default="", help_text="The beginning of the last response.")),
            ("took_ms", models.IntegerField(null=True)),
            ("webhook", models.ForeignKey(db_constraint=False, db_index=False, on_delete=models.DO_NOTHING, related_name="+", to="groups.webhook")),
        ],
        options={
            "verbose_name_plural": "webhook deliveries",
            "db_table": "rollcall_webhook_delivery",
            "default_permissions": ("view",),
            "indexes": [models.Index(fields=["webhook", "-id"], name="delivery_of_webhook"), models.Index(condition=models.Q(("state", "pending")), fields=["webhook", "next_at", "id"], name="delivery_due")],
            "constraints": [models.UniqueConstraint(fields=("webhook", "key"), name="delivery_once")],
        },
    ),
    migrations.CreateModel(
        name="Drain",
        fields=[
            ("node_id", models.IntegerField(primary_key=True, serialize=False)),
            ("actor", models.TextField()),
            ("reason", models.TextField()),
            ("since", models.DateTimeField()),
            ("seen_at", models.DateTimeField(help_text="When the node was last seen; the drain of one that stays away is removed.")),
        ],
        options={
            "db_table": "rollcall_drain",
            "permissions": [("drain_node", "Can drain a node, and withdraw that")],
        },
    ),
    migrations.CreateModel(
        name="QuotaEntity",
        fields=[
            ("id", models.TextField(db_collation="C", help_text="A digest of its parts.", primary_key=True, serialize=False)),
            ("entity_type", models.TextField(help_text="client-id, ip, user, or client-id user.")),
            ("user_name", models.TextField(db_collation="C", help_text="Empty: the default, or no user.")),
            ("client_id", models.TextField(db_collation="C", help_text="The same of client ids.")),
            ("ip", models.TextField(db_collation="C", help_text="The same of addresses.")),
            ("quotas", models.JSONField(help_text="Values by key; an infinite one is a text.")),
            ("updated_at", models.DateTimeField(help_text="When the newest of them was set.")),
        ],
        options={
            "verbose_name": "client quota",
            "db_table": "rollcall_quota_entity",
            "managed": False,
            "default_permissions": (),
        },
    ),
    migrations.CreateModel(
        name="SavedView",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            ("name", models.CharField(max_length=60)),
            ("query", models.CharField(help_text="The URL's query: filters, search and order.", max_length=2000)),
            ("is_shared", models.BooleanField(default=False, help_text="Whether everybody sees it.")),
            ("user", models.ForeignKey(on_delete=models.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL)),
        ],
        options={
            "verbose_name": "saved view",
            "db_table": "rollcall_saved_view",
            "constraints": [models.UniqueConstraint(fields=("user", "name"), name="saved_view_of_a_name")],
        },
    ),
    migrations.CreateModel(
        name="OpenIdUser",
        fields=[
            ("user", models.OneToOneField(on_delete=models.CASCADE, primary_key=True, related_name="+", serialize=False, to=settings.AUTH_USER_MODEL)),
            ("issuer", models.TextField(db_collation="C", help_text="The provider's iss.")),
            ("subject", models.TextField(db_collation="C", help_text="The user's sub there.")),
        ],
        options={
            "db_table": "rollcall_openid_user",
            "constraints": [models.UniqueConstraint(fields=("issuer", "subject"), name="openid_user_once")],
        },
    ),
    migrations.CreateModel(
        name="ClientConnection",
        fields=[
            ("pk", models.CompositePrimaryKey("node_id", "number", blank=True, editable=False, primary_key=True, serialize=False)),
            ("node_id", models.IntegerField()),
            ("number", models.BigIntegerField()),
            ("listener", models.TextField()),
            ("address", models.TextField()),
            ("principal", models.TextField()),
            ("client_id", models.TextField(help_text="Of the connection's first request.")),
            ("software", models.TextField(help_text="The client library, as ApiVersions names it.")),
            ("software_version", models.TextField()),
            ("groups", models.JSONField(help_text="Ids of the groups whose members use it.")),
            ("connected_at", models.DateTimeField()),
        ],
        options={
            "db_table": "rollcall_connection",
        },
    ),
    migrations.CreateModel(
        name="ConnectionsNoted",
        fields=[
            ("node_id", models.IntegerField(primary_key=True, serialize=False)),
            ("noted_at", models.DateTimeField()),
            ("connections", models.IntegerField()),
        ],
        options={
            "db_table": "rollcall_connections_noted",
            "default_permissions": (),
            "verbose_name_plural": "connections noted",
        },
    ),
    migrations.CreateModel(
        name="GroupCounts",
        fields=[
            ("group", models.OneToOneField(db_constraint=False, on_delete=models.DO_NOTHING, primary_key=True, related_name="counts", serialize=False, to="groups.group")),
            ("topics", models.IntegerField(help_text="Topics to which a member subscribes.")),
            ("partitions", models.BigIntegerField(help_text="Partitions of these topics.")),
            ("unowned", models.BigIntegerField(help_text="Those that no member owns.")),
            ("members", models.IntegerField(help_text="Null until a node of this version has counted the group.", null=True)),
            ("last_rebalance", models.BigIntegerField(help_text="The journal entry of the last completed rebalance: later ones are greater.", null=True)),
        ],
        options={
            "db_table": "rollcall_group_counts",
            "default_permissions": (),
            "verbose_name_plural": "group counts",
        },
    ),
    migrations.CreateModel(
        name="LastHour",
        fields=[
            ("group", models.OneToOneField(db_constraint=False, on_delete=models.DO_NOTHING, primary_key=True, related_name="last_hour", serialize=False, to="groups.group")),
            ("rebalances", models.BigIntegerField()),
        ],
        options={
            "verbose_name_plural": "last hour",
            "db_table": "rollcall_last_hour",
            "managed": False,
            "default_permissions": (),
        },
    ),
    migrations.CreateModel(
        name="ReportRow",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            ("report", models.TextField()),
            ("period", models.TextField(help_text='"7d", "7d-before", ..., or "all".')),
            ("keys", models.JSONField(help_text="What the row is about: a group, a cause.")),
            ("figures", models.JSONField()),
            ("run", models.ForeignKey(help_text="Empty for an answer to somebody's question, which every run shows.", null=True, on_delete=models.CASCADE, related_name="rows", to="groups.reportrun")),
            ("kept_until", models.DateTimeField(help_text="When an answer is deleted; empty for rows of a run.", null=True)),
        ],
        options={
            "db_table": "rollcall_report_row",
            "indexes": [models.Index(fields=["run", "report", "period"], name="report_rows")],
            "constraints": [models.CheckConstraint(condition=models.Q(models.Q(("kept_until__isnull", True), ("run__isnull", False)), models.Q(("kept_until__isnull", False), ("run__isnull", True)), _connector="OR"), name="report_row_of_a_run_or_kept")],
        },
    ),
    migrations.CreateModel(
        name="AdviceDecision",
        fields=[
            ("id", models.BigAutoField(primary_key=True, serialize=False)),
            ("group_id", models.TextField(db_collation="C")),
            ("rule", models.TextField(help_text="Its name, as in docs/pipeline.md, *Advice*.")),
            ("subject", models.TextField(db_collation="C", help_text="The client, host or group that it is about.")),
            ("verdict", models.TextField(choices=[("accepted", "Accepted"), ("muted", "Muted")])),
            ("reason", models.TextField(help_text="Why; everyone sees this.")),
            ("actor", models.TextField()),
            ("at", models.DateTimeField()),
            ("until", models.DateTimeField(blank=True, help_text="Of a muted one; empty: until it is withdrawn.", null=True)),
        ],
        options={
            "db_table": "rollcall_advice_decision",
            "constraints": [models.UniqueConstraint(fields=("group_id", "rule", "subject"), name="advice_decided_once")],
        },
    ),
    migrations.CreateModel(
        name="Mark",
        fields=[
            ("id", models.BigAutoField(primary_key=True, serialize=False)),
            ("at", models.DateTimeField(help_text="When it was.")),
            ("text", models.TextField(help_text="What was done, such as “orders 1.7.0”.")),
            ("group_id", models.TextField(blank=True, db_collation="C", help_text="The group; empty: the whole installation.")),
            ("actor", models.TextField()),
            ("noted_at", models.DateTimeField(auto_now_add=True)),
        ],
        options={
            "db_table": "rollcall_mark",
            "indexes": [models.Index(fields=["group_id", "at"], name="mark_of_group")],
        },
    ),
    migrations.CreateModel(
        name="BeatLease",
        fields=[
            ("id", models.SmallIntegerField(default=1, primary_key=True, serialize=False)),
            ("holder", models.UUIDField(help_text="A new one at each start of such a process.")),
            ("until", models.DateTimeField(help_text="Another one may begin then.")),
        ],
        options={
            "db_table": "rollcall_beat_lease",
            "constraints": [models.CheckConstraint(condition=models.Q(("id", 1)), name="beat_lease_is_one")],
        },
    ),
    migrations.CreateModel(
        name="NodeLease",
        fields=[
            ("node_id", models.IntegerField(primary_key=True, serialize=False)),
            ("host", models.UUIDField(help_text="The number in the data directory.")),
            ("place", models.SmallIntegerField(help_text="Which of the host's nodes has this id, from 0 on.")),
            ("starts", models.BigIntegerField(help_text="How often the host has started: a copy of its data directory knows fewer.")),
            ("hostname", models.TextField(help_text="What the host called itself at its last start.")),
            ("seen_at", models.DateTimeField(help_text="When the node was last seen; the id of one that stays away becomes free.")),
        ],
        options={
            "db_table": "rollcall_node_lease",
            "constraints": [models.UniqueConstraint(fields=("host", "place"), name="node_lease_of_host")],
        },
    ),
]
# fmt: on


class Migration(migrations.Migration):
    """Tables, functions and rows."""

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("django_celery_beat", "0001_initial"),
        ("otp_static", "0003_add_timestamps"),
        ("otp_totp", "0003_add_timestamps"),
    ]

    operations = [migrations.RunSQL(TABLES + OWN, state_operations=MODELS)]
