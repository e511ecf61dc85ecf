"""Quotas of clients of the Kafka port."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("groups", "0031_users_of_the_kafka_port"),
    ]

    operations = [
        migrations.CreateModel(
            name="ClientQuota",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "entity_type",
                        "user_name",
                        "client_id",
                        "ip",
                        "key",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "entity_type",
                    models.TextField(
                        help_text="What it is given to: client-id, ip, user, or client-id user."
                    ),
                ),
                (
                    "user_name",
                    models.TextField(
                        db_collation="C",
                        help_text="Empty: every user that has none, or there is no such part.",
                    ),
                ),
                (
                    "client_id",
                    models.TextField(db_collation="C", help_text="The same of client ids."),
                ),
                ("ip", models.TextField(db_collation="C", help_text="The same of addresses.")),
                ("key", models.TextField(help_text="For example request_percentage.")),
                ("value", models.FloatField()),
                ("updated_at", models.DateTimeField()),
            ],
            options={
                "db_table": "rollcall_quota",
            },
        ),
    ]
