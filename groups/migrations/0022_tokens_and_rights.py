"""Tokens have scopes, a creator and an expiry; rewinding offsets has its own permission.

Existing tokens keep their rights and their lifetime.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("groups", "0021_credentials"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="operation",
            options={
                "permissions": [
                    ("rebalance_group", "Can force a rebalance"),
                    ("evict_member", "Can evict a member"),
                    ("pause_group", "Can stop and start the work of a group or member"),
                    ("restore_offsets", "Can rewind a group's offsets to an earlier time"),
                ]
            },
        ),
        migrations.AddField(
            model_name="apitoken",
            name="made_by",
            field=models.TextField(
                blank=True,
                db_default="",
                default="",
                editable=False,
                help_text="The user who created it.",
            ),
        ),
        migrations.AddField(
            model_name="apitoken",
            name="scopes",
            field=models.JSONField(
                db_default=["read", "operate", "offsets", "catalogue", "admin"],
                default=list,
                help_text="The scopes: which of its user's rights it has.",
            ),
        ),
        migrations.AddField(
            model_name="apitoken",
            name="session_hash",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                editable=False,
                help_text="A digest of the user's password if the token ends with it; otherwise"
                " empty.",
                max_length=128,
            ),
        ),
        migrations.AlterField(
            model_name="apitoken",
            name="expires_at",
            field=models.DateTimeField(
                help_text="Empty only in tokens of earlier versions: never.", null=True
            ),
        ),
    ]
