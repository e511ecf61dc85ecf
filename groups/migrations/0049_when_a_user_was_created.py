"""Users of the Kafka port that are deleted and created again under the same name are told apart:
the connections of the deleted one are closed, also by a node that hears of both at once."""

from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [("groups", "0048_look_into_history")]

    operations = [
        migrations.AddField(
            model_name="scramcredential",
            name="user_since",
            field=models.DateTimeField(
                db_default=Now(),
                help_text="When the user was created: the same for each mechanism.",
            ),
        ),
    ]
