"""The table of schedules."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """Made by ``makemigrations``."""

    initial = True
    dependencies = []
    operations = [
        migrations.CreateModel(
            name="Schedule",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("tenant", models.CharField(max_length=100)),
                ("bucket", models.IntegerField(db_index=True, editable=False)),
                ("every_s", models.FloatField()),
                ("due_at", models.DateTimeField()),
                ("runs", models.IntegerField(default=0)),
                ("fence", models.IntegerField(default=0)),
            ],
        ),
    ]
