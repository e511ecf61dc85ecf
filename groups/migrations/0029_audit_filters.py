"""Indexes for the filters of the audit's page, and for rare entries: without them it read every
row, which took half a second for a million."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("groups", "0028_audit"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(fields=["kind", "-id"], name="audit_by_kind"),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(fields=["outcome", "-id"], name="audit_by_outcome"),
        ),
    ]
