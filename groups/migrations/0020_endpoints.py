"""A node's address for clients of each of its listeners.

Earlier nodes have none: their host and port apply to every listener.
"""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("groups", "0019_client_reason"),
    ]

    operations = [
        migrations.AddField(
            model_name="node",
            name="endpoints",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.TextField(),
                db_default=[],
                default=list,
                help_text="What clients of each listener are told, as NAME://host:port.",
                size=None,
            ),
        ),
    ]
