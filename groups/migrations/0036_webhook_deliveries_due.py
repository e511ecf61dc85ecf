"""An index of due deliveries by endpoint: ten thousand deliveries of one do not delay others."""

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
