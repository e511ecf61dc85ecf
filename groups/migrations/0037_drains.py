"""Operators drain nodes: a drained node gives its slots to the others, and takes none."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("groups", "0036_webhook_deliveries_due"),
    ]

    operations = [
        migrations.CreateModel(
            name="Drain",
            fields=[
                ("node_id", models.IntegerField(primary_key=True, serialize=False)),
                ("actor", models.TextField()),
                ("reason", models.TextField()),
                ("since", models.DateTimeField()),
                (
                    "seen_at",
                    models.DateTimeField(
                        help_text="When the node was last seen; the drain of one that stays away"
                        " is removed."
                    ),
                ),
            ],
            options={
                "db_table": "rollcall_drain",
                "permissions": [("drain_node", "Can drain a node, and withdraw that")],
            },
        ),
    ]
