"""What an operation was expected to do, beside what it did."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("groups", "0080_packed_facts")]

    operations = [
        migrations.AddField(
            model_name="operation",
            name="prediction",
            field=models.JSONField(
                help_text='What it was expected to do: "text", and figures of what moves; empty:'
                " nobody asked.",
                null=True,
            ),
        ),
    ]
