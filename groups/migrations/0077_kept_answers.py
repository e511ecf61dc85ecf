"""Rows of reports that belong to no run: answers to somebody's questions, kept for their time."""

from django.db import migrations, models
from django.db.models import Q

FORGOTTEN = "DELETE FROM rollcall_report_row WHERE run_id IS NULL"
"""The version before knows none."""


class Migration(migrations.Migration):
    dependencies = [("groups", "0076_fleet_hours")]

    operations = [
        migrations.AlterField(
            model_name="reportrow",
            name="run",
            field=models.ForeignKey(
                help_text="Empty for an answer to somebody's question, which every run shows.",
                null=True,
                on_delete=models.CASCADE,
                related_name="rows",
                to="groups.reportrun",
            ),
        ),
        migrations.RunSQL(migrations.RunSQL.noop, FORGOTTEN),
        migrations.AddField(
            model_name="reportrow",
            name="kept_until",
            field=models.DateTimeField(
                help_text="When an answer is deleted; empty for rows of a run.", null=True
            ),
        ),
        migrations.AddConstraint(
            model_name="reportrow",
            constraint=models.CheckConstraint(
                condition=Q(run__isnull=False, kept_until__isnull=True)
                | Q(run__isnull=True, kept_until__isnull=False),
                name="report_row_of_a_run_or_kept",
            ),
        ),
    ]
