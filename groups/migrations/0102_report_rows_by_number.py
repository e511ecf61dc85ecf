"""Rows of reports name their run by its number alone: PostgreSQL looked up the run of each row that
is written, and kept a second index of it. Runs and rows come and go in the same transactions."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("groups", "0101_node_minutes")]

    operations = [
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
                help_text="Empty for an answer to somebody's question, which every run shows.",
            ),
        )
    ]
