from django.db import migrations, models

VIEW = """
CREATE VIEW rollcall_quota_entity AS
SELECT md5(jsonb_build_array(entity_type, user_name, client_id, ip)::text) AS id,
    entity_type, user_name, client_id, ip,
    jsonb_object_agg(key, value) AS quotas, max(updated_at) AS updated_at
FROM rollcall_quota GROUP BY entity_type, user_name, client_id, ip
"""


class Migration(migrations.Migration):
    dependencies = [("groups", "0037_drains")]

    operations = [
        migrations.RunSQL(VIEW, "DROP VIEW rollcall_quota_entity"),
        migrations.CreateModel(
            name="QuotaEntity",
            fields=[
                (
                    "id",
                    models.TextField(
                        db_collation="C",
                        help_text="A digest of its parts.",
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "entity_type",
                    models.TextField(help_text="client-id, ip, user, or client-id user."),
                ),
                (
                    "user_name",
                    models.TextField(db_collation="C", help_text="Empty: the default, or no user."),
                ),
                (
                    "client_id",
                    models.TextField(db_collation="C", help_text="The same of client ids."),
                ),
                (
                    "ip",
                    models.TextField(db_collation="C", help_text="The same of addresses."),
                ),
                (
                    "quotas",
                    models.JSONField(help_text="Values by key; an infinite one is a text."),
                ),
                (
                    "updated_at",
                    models.DateTimeField(help_text="When the newest of them was set."),
                ),
            ],
            options={
                "verbose_name": "client quota",
                "db_table": "rollcall_quota_entity",
                "managed": False,
                "default_permissions": (),
            },
        ),
    ]
