"""The names of operations come from the table (``groups.core.operations``). No statement."""

from django.db import migrations, models

from groups.core.operations import choices


class Migration(migrations.Migration):
    dependencies = [("groups", "0074_node_leases")]

    operations = [
        migrations.AlterField(
            model_name="operation", name="verb", field=models.TextField(choices=choices)
        ),
    ]
