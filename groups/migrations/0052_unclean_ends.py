"""A node that ends again and again without handing its slots over takes none for a while: how often
that was, in sequence, is in its row, since it outlives the process."""

from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [("groups", "0049_when_a_user_was_created")]

    operations = [
        migrations.AddField(
            model_name="node",
            name="unclean_ends",
            field=models.IntegerField(
                default=0,
                db_default=0,
                help_text="How often in sequence it ended, or lost its slots, without handing them"
                " over.",
            ),
        ),
        migrations.AddField(
            model_name="node",
            name="steady_since",
            field=models.DateTimeField(
                db_default=Now(), help_text="Since when it has neither ended nor lost its slots."
            ),
        ),
    ]
