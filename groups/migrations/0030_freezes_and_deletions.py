"""Operations freeze, thaw and delete groups; freezing has its own permission."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("groups", "0029_audit_filters"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="operation",
            options={
                "permissions": [
                    ("rebalance_group", "Can force a rebalance"),
                    ("evict_member", "Can evict a member"),
                    ("pause_group", "Can stop and start the work of a group or member"),
                    ("freeze_group", "Can freeze and thaw a group"),
                    ("restore_offsets", "Can rewind a group's offsets to an earlier time"),
                ]
            },
        ),
        migrations.AlterField(
            model_name="auditentry",
            name="login",
            field=models.TextField(default="", help_text="The database login that wrote it."),
        ),
        migrations.AlterField(
            model_name="auditentry",
            name="request_id",
            field=models.TextField(
                blank=True, default="", help_text="X-Request-ID of the HTTP request."
            ),
        ),
        migrations.AlterField(
            model_name="auditentry",
            name="target",
            field=models.TextField(blank=True, default="", help_text="The object of the action."),
        ),
        migrations.AlterField(
            model_name="auditentry",
            name="who",
            field=models.TextField(db_collation="C", help_text="A user, or a Kafka principal."),
        ),
        migrations.AlterField(
            model_name="operation",
            name="verb",
            field=models.TextField(
                choices=[
                    ("rebalance", "Rebalance"),
                    ("evict", "Evict"),
                    ("expire-offsets", "Expire Offsets"),
                    ("restore-offsets", "Restore Offsets"),
                    ("reset-offsets", "Reset Offsets"),
                    ("pause", "Pause"),
                    ("resume", "Resume"),
                    ("freeze", "Freeze"),
                    ("thaw", "Thaw"),
                    ("delete", "Delete"),
                ]
            ),
        ),
    ]
