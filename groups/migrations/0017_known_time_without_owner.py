"""How much of the time without owners is measured, and for how many rebalances it is not."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("groups", "0016_application_locks"),
    ]

    operations = [
        migrations.AddField(
            model_name="rebalancecost",
            name="without_owner_known_ms",
            field=models.BigIntegerField(
                db_default=0, default=0, help_text="The part that the journal has measured."
            ),
        ),
        migrations.AddField(
            model_name="rebalancecost",
            name="unknown_rebalances",
            field=models.BigIntegerField(
                db_default=0,
                default=0,
                help_text="Rebalances without a measurement in the journal.",
            ),
        ),
        migrations.RunSQL(
            "UPDATE rollcall_rebalance_cost SET unknown_rebalances = rebalances",
            migrations.RunSQL.noop,  # earlier reports did not measure it
        ),
        migrations.AlterField(
            model_name="rebalancecost",
            name="without_owner_ms",
            field=models.BigIntegerField(
                help_text="An upper bound: the known time, or the time from each start to the"
                " assignment; summed."
            ),
        ),
    ]
