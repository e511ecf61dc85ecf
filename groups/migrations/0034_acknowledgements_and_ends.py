"""Acknowledgements of what needs attention, and an end of a freeze."""

from django.db import migrations, models

AUDITED = """
CREATE TRIGGER rollcall_audit AFTER INSERT OR UPDATE OR DELETE ON rollcall_acknowledgement
FOR EACH ROW EXECUTE FUNCTION rollcall_audit_row('acknowledgement', 'rule', '', '')
"""


class Migration(migrations.Migration):
    dependencies = [
        ("groups", "0033_first_password_and_audit"),
    ]

    operations = [
        migrations.CreateModel(
            name="Acknowledgement",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("rule", models.TextField(help_text="Its name, as in docs/operating.md.")),
                (
                    "subject",
                    models.TextField(
                        blank=True,
                        db_collation="C",
                        help_text="The group, node, operation or task for which it fires; empty:"
                        " the fleet.",
                    ),
                ),
                ("note", models.TextField(help_text="What is being done about it.")),
                ("actor", models.TextField()),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "until",
                    models.DateTimeField(
                        blank=True, help_text="Empty: it ends with the situation.", null=True
                    ),
                ),
            ],
            options={
                "db_table": "rollcall_acknowledgement",
                "constraints": [
                    models.UniqueConstraint(fields=("rule", "subject"), name="acknowledged_once")
                ],
            },
        ),
        migrations.RunSQL(AUDITED, "DROP TRIGGER rollcall_audit ON rollcall_acknowledgement"),
        migrations.AddField(
            model_name="groupconfig",
            name="until",
            field=models.DateTimeField(
                help_text="Of a freeze: when it ends by itself; null: when somebody thaws it.",
                null=True,
            ),
        ),
        migrations.AddIndex(
            model_name="groupconfig",
            index=models.Index(
                condition=models.Q(("until__isnull", False)),
                fields=["until"],
                name="group_config_ends",
            ),
        ),
        migrations.AddField(
            model_name="operation",
            name="until",
            field=models.DateTimeField(
                help_text="For freeze: when it ends. For thaw: a freeze with a later end is not"
                " thawed.",
                null=True,
            ),
        ),
    ]
