"""An operation contains the offsets that an operator sets, and the previous ones."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("groups", "0026_acls"),
    ]

    operations = [
        migrations.AddField(
            model_name="operation",
            name="offsets",
            field=models.JSONField(
                help_text='For reset-offsets: "how"; and [topic, partition, offset] of "to",'
                ' "before".',
                null=True,
            ),
        ),
        migrations.AlterField(
            model_name="operation",
            name="verb",
            field=models.TextField(
                choices=[
                    ("rebalance", "Rebalance"),
                    ("evict", "Evict"),
                    ("expire-offsets", "Expire Offsets"),
                    ("restore-offsets", "Restore Offsets"),
                    ("reset-offsets", "Reset Offsets"),
                    ("pause", "Pause"),
                    ("resume", "Resume"),
                ]
            ),
        ),
    ]
