"""An operation keeps the trace of the request that asked for it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("groups", "0041_connections"),
    ]

    operations = [
        migrations.AddField(
            model_name="operation",
            name="traceparent",
            field=models.TextField(
                help_text="The trace of the request that asked for it (W3C), where it is traced.",
                null=True,
            ),
        ),
    ]
