"""How much work each group has, as its owner counts it after changes: lists are ordered by it.

Nodes fill it: each counts a group when it loads it, and so all of them at its first start.
"""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("groups", "0042_traces"),
    ]

    operations = [
        migrations.CreateModel(
            name="GroupCounts",
            fields=[
                (
                    "group",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        primary_key=True,
                        related_name="counts",
                        serialize=False,
                        to="groups.group",
                    ),
                ),
                ("topics", models.IntegerField(help_text="Topics to which a member subscribes.")),
                ("partitions", models.BigIntegerField(help_text="Partitions of these topics.")),
                ("unowned", models.BigIntegerField(help_text="Those that no member owns.")),
            ],
            options={
                "db_table": "rollcall_group_counts",
                "default_permissions": (),
                "verbose_name_plural": "group counts",
            },
        ),
    ]
