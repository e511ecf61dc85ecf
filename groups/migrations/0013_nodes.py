"""A node's lease, its program's schema, and whether it takes slots, for other nodes."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("groups", "0012_pauses"),
    ]

    operations = [
        migrations.AddField(
            model_name="node",
            name="lease_ms",
            field=models.IntegerField(
                db_default=3000,
                default=3000,
                help_text="The others wait for so long when it is silent.",
            ),
        ),
        migrations.AddField(
            model_name="node",
            name="takes_slots",
            field=models.BooleanField(
                db_default=True, default=True, help_text="Not while it could not load what it had."
            ),
        ),
        migrations.AddField(
            model_name="node",
            name="schema",
            field=models.TextField(
                db_default="",
                default="",
                help_text="The migration that its program knows as the last.",
            ),
        ),
    ]
