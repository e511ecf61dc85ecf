"""What a client said itself when it joined or left (KIP-800), beside the reason of the rules.

Entries of before have it, if at all, at the end of their reason.
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
