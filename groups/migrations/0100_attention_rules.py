"""Thresholds of what needs attention for some groups alone, and silences."""

from django.db import migrations, models

AUDITED = """
CREATE TRIGGER rollcall_audit AFTER INSERT OR UPDATE OR DELETE ON rollcall_attention_rule
FOR EACH ROW EXECUTE FUNCTION rollcall_audit_row('attention-rule', 'rule', '', '')
"""

KEY = ("rule", "is_prefix", "name")
HAS_THRESHOLD = models.Q(("threshold__isnull", False))
IS_SILENCE = models.Q(("threshold__isnull", True))
ENDS = models.Q(("threshold__gt", 0), ("until__isnull", False), _connector="OR")


class Migration(migrations.Migration):
    dependencies = [("groups", "0094_database_of_the_timeline")]

    operations = [
        migrations.CreateModel(
            name="AttentionRule",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("rule", models.TextField(help_text="Its name, as in docs/operating.md.")),
                (
                    "is_prefix",
                    models.BooleanField(
                        default=False,
                        help_text="Of all groups whose ids begin so; else of this one.",
                    ),
                ),
                (
                    "name",
                    models.TextField(
                        blank=True,
                        db_collation="C",
                        help_text="A group id, or its beginning; empty: every group.",
                    ),
                ),
                (
                    "threshold",
                    models.BigIntegerField(
                        blank=True,
                        help_text="As the rule's setting has it; empty: silenced.",
                        null=True,
                    ),
                ),
                ("reason", models.TextField()),
                ("actor", models.TextField()),
                ("at", models.DateTimeField()),
                ("until", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "db_table": "rollcall_attention_rule",
                "constraints": [
                    models.UniqueConstraint(
                        condition=HAS_THRESHOLD, fields=KEY, name="one_threshold"
                    ),
                    models.UniqueConstraint(condition=IS_SILENCE, fields=KEY, name="one_silence"),
                    models.CheckConstraint(condition=ENDS, name="silence_ends"),
                ],
            },
        ),
        migrations.RunSQL(AUDITED, "DROP TRIGGER rollcall_audit ON rollcall_attention_rule"),
    ]
