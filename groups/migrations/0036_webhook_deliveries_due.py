"""What is due is found by its endpoint: ten thousand deliveries of one delay no other's."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("groups", "0035_webhooks")]

    operations = [
        migrations.RemoveIndex("webhookdelivery", "delivery_due"),
        migrations.AddIndex(
            "webhookdelivery",
            models.Index(
                fields=["webhook", "next_at", "id"],
                name="delivery_due",
                condition=models.Q(state="pending"),
            ),
        ),
    ]
