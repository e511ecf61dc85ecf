"""Users of the Kafka port: SCRAM credentials."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("groups", "0020_endpoints"),
    ]

    operations = [
        migrations.CreateModel(
            name="ScramCredential",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "name",
                        "mechanism",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("name", models.TextField(db_collation="C")),
                (
                    "mechanism",
                    models.TextField(db_collation="C", help_text="SCRAM-SHA-256 or SCRAM-SHA-512."),
                ),
                ("salt", models.BinaryField()),
                ("iterations", models.IntegerField()),
                ("stored_key", models.BinaryField()),
                ("server_key", models.BinaryField()),
                ("updated_at", models.DateTimeField()),
            ],
            options={"db_table": "rollcall_credential"},
        ),
    ]
