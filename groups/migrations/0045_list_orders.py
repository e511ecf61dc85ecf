"""What the list of groups is ordered by without a look-up for each group: members and the last
rebalance, counted by their owners, and a view with the rebalances of the last hour.

The view is bounded like ``console.queries.group_rows.rebalances_1h``. Nodes fill the columns as
they count their groups; until then they are null.
"""

import django.db.models.deletion
from django.db import migrations, models

VIEW = """
CREATE VIEW rollcall_last_hour AS
SELECT group_id, count(*) AS rebalances
FROM rollcall_journal
WHERE kind = 'rebalance-completed' AND at >= now() - interval '1 hour'
  AND id > (SELECT coalesce(max(id), 0) - 20000 FROM rollcall_journal)
GROUP BY group_id
"""


class Migration(migrations.Migration):
    dependencies = [("groups", "0044_words_of_operations")]

    operations = [
        migrations.AddField(
            model_name="groupcounts",
            name="members",
            field=models.IntegerField(
                null=True, help_text="Null until a node of this version has counted the group."
            ),
        ),
        migrations.AddField(
            model_name="groupcounts",
            name="last_rebalance",
            field=models.BigIntegerField(
                null=True,
                help_text="The journal entry of the last completed rebalance: later ones are"
                " greater.",
            ),
        ),
        migrations.RunSQL(VIEW, "DROP VIEW rollcall_last_hour"),
        migrations.CreateModel(
            name="LastHour",
            fields=[
                (
                    "group",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        primary_key=True,
                        related_name="last_hour",
                        serialize=False,
                        to="groups.group",
                    ),
                ),
                ("rebalances", models.BigIntegerField()),
            ],
            options={
                "verbose_name_plural": "last hour",
                "db_table": "rollcall_last_hour",
                "managed": False,
                "default_permissions": (),
            },
        ),
    ]
