"""Runs that build upon others share their rows: PostgreSQL copied all that had not changed.

A row is true from one run until another; the view has what each run shows.
"""

import django.db.models.deletion
from django.db import migrations, models

SHOWN = """
CREATE VIEW rollcall_report_run_row AS
SELECT stored.id, run.id AS run_id, report, period, keys, figures
FROM rollcall_report_run AS run
JOIN rollcall_report_row AS stored ON stored.run_id = coalesce(run.rows_of, run.id)
WHERE (from_run IS NULL OR from_run <= run.id) AND (until_run IS NULL OR until_run > run.id)
UNION ALL
SELECT stored.id, run.id, report, period, keys, figures
FROM rollcall_report_run AS run CROSS JOIN rollcall_report_row AS stored
WHERE stored.run_id IS NULL
"""

OF_THE_NEWEST_ALONE = (
    "DROP VIEW rollcall_report_run_row",
    "DELETE FROM rollcall_report_row WHERE until_run IS NOT NULL",
    """
    UPDATE rollcall_report_row AS stored SET run_id = newest.id
    FROM (
        SELECT rows_of, max(id) AS id FROM rollcall_report_run
        WHERE state = 'succeeded' AND rows_of > 0 GROUP BY rows_of
    ) AS newest
    WHERE stored.run_id = newest.rows_of
    """,
)
"""The way back: of runs that share rows the newest keeps them, as its own."""


class Migration(migrations.Migration):
    dependencies = [("groups", "0102_report_rows_by_number")]

    operations = [
        migrations.AddField(
            "reportrun",
            "rows_of",
            models.BigIntegerField(
                null=True,
                help_text="The run under whose number its rows are, where it builds upon that one;"
                " empty: under its own; 0: they are deleted.",
            ),
        ),
        migrations.AlterField(
            "reportrow",
            "run",
            models.ForeignKey(
                "groups.reportrun",
                on_delete=django.db.models.deletion.CASCADE,
                related_name="rows",
                null=True,
                db_constraint=False,
                db_index=False,
                help_text="That of the run, or of the first of runs upon runs; empty for an answer"
                " to somebody's question, which every run shows.",
            ),
        ),
        migrations.AddField(
            "reportrow",
            "from_run",
            models.BigIntegerField(
                null=True, help_text="The first run that shows it; empty: the run itself."
            ),
        ),
        migrations.AddField(
            "reportrow",
            "until_run",
            models.BigIntegerField(
                null=True,
                help_text="The first run that no longer shows it; empty while it is true.",
            ),
        ),
        migrations.CreateModel(
            name="RunRow",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("report", models.TextField()),
                ("period", models.TextField()),
                ("keys", models.JSONField()),
                ("figures", models.JSONField()),
                (
                    "run",
                    models.ForeignKey(
                        "groups.reportrun",
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="shown_rows",
                        db_constraint=False,
                    ),
                ),
            ],
            options={
                "db_table": "rollcall_report_run_row",
                "managed": False,
                "default_permissions": (),
            },
        ),
        migrations.RunSQL(SHOWN, OF_THE_NEWEST_ALONE),
    ]
