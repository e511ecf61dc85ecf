"""Node ids that belong to hosts, and which process schedules the periodic work."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("groups", "0067_settings_of_nodes")]

    operations = [
        migrations.CreateModel(
            name="BeatLease",
            fields=[
                (
                    "id",
                    models.SmallIntegerField(default=1, primary_key=True, serialize=False),
                ),
                (
                    "holder",
                    models.UUIDField(help_text="A new one at each start of such a process."),
                ),
                ("until", models.DateTimeField(help_text="Another one may begin then.")),
            ],
            options={
                "db_table": "rollcall_beat_lease",
                "constraints": [
                    models.CheckConstraint(condition=models.Q(id=1), name="beat_lease_is_one")
                ],
            },
        ),
        migrations.CreateModel(
            name="NodeLease",
            fields=[
                ("node_id", models.IntegerField(primary_key=True, serialize=False)),
                ("host", models.UUIDField(help_text="The number in the data directory.")),
                (
                    "place",
                    models.SmallIntegerField(
                        help_text="Which of the host's nodes has this id, from 0 on."
                    ),
                ),
                (
                    "starts",
                    models.BigIntegerField(
                        help_text="How often the host has started: a copy of its data directory"
                        " knows fewer."
                    ),
                ),
                (
                    "hostname",
                    models.TextField(help_text="What the host called itself at its last start."),
                ),
                (
                    "seen_at",
                    models.DateTimeField(
                        help_text="When the node was last seen; the id of one that stays away"
                        " becomes free."
                    ),
                ),
            ],
            options={
                "db_table": "rollcall_node_lease",
                "constraints": [
                    models.UniqueConstraint(fields=("host", "place"), name="node_lease_of_host")
                ],
            },
        ),
    ]
