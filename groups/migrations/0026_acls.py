"""Access rules of the Kafka port."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("groups", "0025_principals"),
    ]

    operations = [
        migrations.CreateModel(
            name="Acl",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "resource_type",
                    models.TextField(help_text="TOPIC, GROUP, CLUSTER, TRANSACTIONAL_ID or USER."),
                ),
                (
                    "name",
                    models.TextField(
                        db_collation="C", help_text="The resource's name; * means every one."
                    ),
                ),
                ("pattern", models.TextField(help_text="LITERAL or PREFIXED.")),
                (
                    "principal",
                    models.TextField(
                        db_collation="C", help_text="For example User:ann, or User:*."
                    ),
                ),
                ("host", models.TextField(db_collation="C", help_text="An address, or *.")),
                ("operation", models.TextField(help_text="For example READ, or ALL.")),
                ("permission", models.TextField(help_text="ALLOW or DENY; DENY wins.")),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "db_table": "rollcall_acl",
                "constraints": [
                    models.UniqueConstraint(
                        fields=(
                            "name",
                            "principal",
                            "resource_type",
                            "pattern",
                            "host",
                            "operation",
                            "permission",
                        ),
                        name="acl_once",
                    )
                ],
            },
        ),
    ]
