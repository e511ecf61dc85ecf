"""Rows of every report in one table, which no new report has to change; runs say how far they are.

Reports are computed anew by each run: the rows of earlier ones are not taken over.
"""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("groups", "0056_lives_and_ownership"),
    ]

    operations = [
        migrations.DeleteModel(name="RebalanceCost"),
        migrations.RunSQL("DELETE FROM rollcall_report_run", migrations.RunSQL.noop),
        migrations.RemoveIndex(model_name="reportrun", name="report_run_newest"),
        migrations.RemoveField(model_name="reportrun", name="kind"),
        migrations.AddField(
            model_name="reportrun",
            name="stage",
            field=models.TextField(
                blank=True, db_default="", default="", help_text="What it does now, while it runs."
            ),
        ),
        migrations.AddField(
            model_name="reportrun",
            name="percent",
            field=models.SmallIntegerField(
                db_default=0, default=0, help_text="How much of it is done, in per cent."
            ),
        ),
        migrations.AddField(
            model_name="reportrun",
            name="as_of",
            field=models.DateTimeField(
                help_text="The moment at which the database was read; periods end there.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="reportrun",
            name="reports",
            field=models.JSONField(
                db_default=models.Value([], models.JSONField()),
                default=list,
                help_text="The reports that it made: title, question, keys and figures of each.",
            ),
        ),
        migrations.CreateModel(
            name="ReportRow",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("report", models.TextField()),
                ("period", models.TextField(help_text='"7d", "7d-before", ..., or "all".')),
                (
                    "keys",
                    models.JSONField(help_text="What the row is about: a group, a cause."),
                ),
                ("figures", models.JSONField()),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rows",
                        to="groups.reportrun",
                    ),
                ),
            ],
            options={
                "db_table": "rollcall_report_row",
                "indexes": [models.Index(fields=["run", "report", "period"], name="report_rows")],
            },
        ),
    ]
