"""Webhooks: endpoints, their secrets, deliveries, and the position up to which events were
found."""

import uuid

import django.db.models.deletion
from django.db import migrations, models

CASCADES = """
ALTER TABLE rollcall_webhook_secret ADD CONSTRAINT secret_of_webhook
    FOREIGN KEY (webhook_id) REFERENCES rollcall_webhook ON DELETE CASCADE;
ALTER TABLE rollcall_webhook_delivery ADD CONSTRAINT delivery_of_webhook
    FOREIGN KEY (webhook_id) REFERENCES rollcall_webhook ON DELETE CASCADE
"""
"""In the database, since the web, which deletes endpoints, may not read secrets."""

UNDO = """
ALTER TABLE rollcall_webhook_secret DROP CONSTRAINT secret_of_webhook;
ALTER TABLE rollcall_webhook_delivery DROP CONSTRAINT delivery_of_webhook
"""

WATCHED = (
    (
        "rollcall_webhook",
        ("webhook", "name", "url", "failures,failing_since,not_before,delivered_at"),
    ),
    ("rollcall_webhook_secret", ("webhook-secret", "webhook_id", "secret", "")),
)
"""Tables, and the arguments of the audit's trigger (migration 0028). URLs may be secrets."""


def _trigger(table: str, arguments: tuple[str, ...]) -> migrations.RunSQL:
    said = ", ".join(f"'{argument}'" for argument in arguments)
    return migrations.RunSQL(
        f"CREATE TRIGGER rollcall_audit AFTER INSERT OR UPDATE OR DELETE ON {table}"
        f" FOR EACH ROW EXECUTE FUNCTION rollcall_audit_row({said})",
        f"DROP TRIGGER rollcall_audit ON {table}",
    )


class Migration(migrations.Migration):
    dependencies = [
        ("groups", "0034_acknowledgements_and_ends"),
    ]

    operations = [
        migrations.CreateModel(
            name="Webhook",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "name",
                    models.CharField(help_text="The receiver.", max_length=100, unique=True),
                ),
                (
                    "url",
                    models.CharField(
                        help_text="https://..., public or allowed.",
                        max_length=2000,
                        verbose_name="URL",
                    ),
                ),
                (
                    "events",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="The events that it receives; none selected: all.",
                    ),
                ),
                (
                    "group_prefix",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="Only events of groups whose id has this prefix; empty: all"
                        " events.",
                        max_length=255,
                    ),
                ),
                (
                    "enabled",
                    models.BooleanField(default=True, help_text="Whether events are sent."),
                ),
                ("disabled_because", models.TextField(blank=True, default="", editable=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "failures",
                    models.IntegerField(
                        default=0, editable=False, help_text="Consecutive failures."
                    ),
                ),
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
                (
                    "webhook",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="groups.webhook",
                    ),
                ),
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
                (
                    "message_id",
                    models.UUIDField(default=uuid.uuid4, help_text="The same in each attempt."),
                ),
                ("key", models.TextField(help_text="Of the event; an endpoint is told once.")),
                ("type", models.TextField()),
                ("body", models.TextField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "state",
                    models.TextField(
                        choices=[
                            ("pending", "Pending"),
                            ("delivered", "Delivered"),
                            ("failed", "Failed"),
                        ],
                        default="pending",
                    ),
                ),
                ("attempts", models.IntegerField(default=0)),
                ("next_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField(null=True)),
                ("status", models.IntegerField(help_text="Of the last response.", null=True)),
                ("error", models.TextField(blank=True, default="")),
                (
                    "answer",
                    models.TextField(
                        blank=True, default="", help_text="The beginning of the last response."
                    ),
                ),
                ("took_ms", models.IntegerField(null=True)),
                (
                    "webhook",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="groups.webhook",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "webhook deliveries",
                "db_table": "rollcall_webhook_delivery",
                "default_permissions": ("view",),
                "indexes": [
                    models.Index(fields=["webhook", "-id"], name="delivery_of_webhook"),
                    models.Index(
                        condition=models.Q(("state", "pending")),
                        fields=["next_at"],
                        name="delivery_due",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("webhook", "key"), name="delivery_once")
                ],
            },
        ),
        migrations.RunSQL(CASCADES, UNDO),
        *(_trigger(table, arguments) for table, arguments in WATCHED),
    ]
