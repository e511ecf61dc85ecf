"""Operations have the words of the buttons that request them. No statement: only words change."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("groups", "0043_group_counts"),
    ]

    operations = [
        migrations.AlterField(
            model_name="operation",
            name="verb",
            field=models.TextField(
                choices=[
                    ("rebalance", "Force a rebalance"),
                    ("evict", "Evict a member"),
                    ("expire-offsets", "Expire Offsets"),
                    ("restore-offsets", "Restore Offsets"),
                    ("reset-offsets", "Reset Offsets"),
                    ("pause", "Stop the work"),
                    ("resume", "Start the work"),
                    ("freeze", "Freeze"),
                    ("thaw", "Thaw"),
                    ("delete", "Delete"),
                ]
            ),
        ),
    ]
