"""The address that a node tells the clients of each of its listeners.

Nodes of before have none: their host and port go for every listener.
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
