"""Entries about topics are found by the topic."""

import django.db.models.fields.json
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("groups", "0014_operation_outcome"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="journal",
            index=models.Index(
                django.db.models.fields.json.KeyTextTransform("topic", "details"),
                models.F("id").desc(),
                condition=models.Q(("kind__startswith", "topic-")),
                name="journal_of_topic",
            ),
        ),
    ]
