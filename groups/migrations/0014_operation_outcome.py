"""Whether a successful operation changed anything."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("groups", "0013_nodes"),
    ]

    operations = [
        migrations.AddField(
            model_name="operation",
            name="outcome",
            field=models.TextField(
                choices=[("changed", "Changed"), ("unchanged", "Unchanged")],
                help_text="Of one that succeeded: whether there was anything to do.",
                null=True,
            ),
        ),
    ]
