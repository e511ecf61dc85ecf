"""A view of the users of the Kafka port without anything of their passwords."""

from django.db import migrations, models

VIEW = """
CREATE VIEW rollcall_user AS
SELECT name, jsonb_object_agg(mechanism, iterations) AS mechanisms, max(updated_at) AS updated_at
FROM rollcall_credential GROUP BY name
"""


class Migration(migrations.Migration):
    dependencies = [("groups", "0030_freezes_and_deletions")]

    operations = [
        migrations.RunSQL(VIEW, "DROP VIEW rollcall_user"),
        migrations.CreateModel(
            name="KafkaUser",
            fields=[
                (
                    "name",
                    models.TextField(
                        db_collation="C",
                        help_text="The principal's name.",
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "mechanisms",
                    models.JSONField(help_text="Hash iterations, by mechanism."),
                ),
                (
                    "updated_at",
                    models.DateTimeField(help_text="When its newest password was set."),
                ),
            ],
            options={
                "verbose_name": "user of the Kafka port",
                "verbose_name_plural": "users of the Kafka port",
                "db_table": "rollcall_user",
                "managed": False,
            },
        ),
        migrations.AlterModelOptions(name="acl", options={"verbose_name": "ACL"}),
    ]
