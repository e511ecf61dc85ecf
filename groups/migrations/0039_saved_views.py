"""Named views of the list of groups."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("groups", "0038_quotas_by_entity"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="SavedView",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=60)),
                (
                    "query",
                    models.CharField(
                        help_text="The URL's query: filters, search and order.", max_length=2000
                    ),
                ),
                (
                    "is_shared",
                    models.BooleanField(default=False, help_text="Whether everybody sees it."),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "saved view",
                "db_table": "rollcall_saved_view",
                "constraints": [
                    models.UniqueConstraint(fields=("user", "name"), name="saved_view_of_a_name")
                ],
            },
        ),
    ]
