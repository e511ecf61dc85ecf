"""The connections of clients, as nodes write them on request.

Unlogged: after a crash of PostgreSQL the next request writes them again.
"""

from django.db import migrations, models

UNLOGGED = ("rollcall_connection", "rollcall_connections_noted")


class Migration(migrations.Migration):
    dependencies = [
        ("groups", "0040_people"),
    ]

    operations = [
        migrations.CreateModel(
            name="ClientConnection",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "node_id",
                        "number",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("node_id", models.IntegerField()),
                ("number", models.BigIntegerField()),
                ("listener", models.TextField()),
                ("address", models.TextField()),
                ("principal", models.TextField()),
                ("client_id", models.TextField(help_text="Of the connection's first request.")),
                (
                    "software",
                    models.TextField(help_text="The client library, as ApiVersions names it."),
                ),
                ("software_version", models.TextField()),
                (
                    "groups",
                    models.JSONField(help_text="Ids of the groups whose members use it."),
                ),
                ("connected_at", models.DateTimeField()),
            ],
            options={"db_table": "rollcall_connection"},
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
        *(
            migrations.RunSQL(f"ALTER TABLE {table} SET UNLOGGED", migrations.RunSQL.noop)
            for table in UNLOGGED
        ),
    ]
