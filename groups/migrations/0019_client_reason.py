"""The client's own reason for a join or a leave (KIP-800), besides the reason of the rules.

Earlier entries have it, if at all, at the end of their reason.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("groups", "0018_timeline"),
    ]

    operations = [
        migrations.AddField(
            model_name="journal",
            name="client_reason",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
    ]
