"""What rebalancing groups wait for, as their owners write it about once a second.

Unlogged: after a crash of PostgreSQL it is written again.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("groups", "0023_groups_of_applications"),
    ]

    operations = [
        migrations.CreateModel(
            name="Waiting",
            fields=[
                (
                    "group_id",
                    models.TextField(db_collation="C", primary_key=True, serialize=False),
                ),
                ("node_id", models.IntegerField()),
                ("revision", models.BigIntegerField()),
                ("details", models.JSONField()),
                ("told_at", models.DateTimeField()),
            ],
            options={"db_table": "rollcall_waiting", "verbose_name_plural": "waiting"},
        ),
        migrations.RunSQL("ALTER TABLE rollcall_waiting SET UNLOGGED", migrations.RunSQL.noop),
    ]
