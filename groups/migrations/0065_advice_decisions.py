"""What people have decided about the pipeline's advice."""

from django.db import migrations, models

AUDITED = """
CREATE TRIGGER rollcall_audit AFTER INSERT OR UPDATE OR DELETE ON rollcall_advice_decision
FOR EACH ROW EXECUTE FUNCTION rollcall_audit_row('advice', 'rule', '', '')
"""


class Migration(migrations.Migration):
    dependencies = [("groups", "0061_rounds_and_hours")]

    operations = [
        migrations.CreateModel(
            name="AdviceDecision",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("group_id", models.TextField(db_collation="C")),
                (
                    "rule",
                    models.TextField(help_text="Its name, as in docs/pipeline.md, *Advice*."),
                ),
                (
                    "subject",
                    models.TextField(
                        db_collation="C", help_text="The client, host or group that it is about."
                    ),
                ),
                (
                    "verdict",
                    models.TextField(choices=[("accepted", "Accepted"), ("muted", "Muted")]),
                ),
                ("reason", models.TextField(help_text="Why; everyone sees this.")),
                ("actor", models.TextField()),
                ("at", models.DateTimeField()),
                (
                    "until",
                    models.DateTimeField(
                        blank=True,
                        help_text="Of a muted one; empty: until it is withdrawn.",
                        null=True,
                    ),
                ),
            ],
            options={
                "db_table": "rollcall_advice_decision",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("group_id", "rule", "subject"), name="advice_decided_once"
                    )
                ],
            },
        ),
        migrations.RunSQL(AUDITED, "DROP TRIGGER rollcall_audit ON rollcall_advice_decision"),
    ]
