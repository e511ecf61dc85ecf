"""Silence counts while a slot was served, across owners and restarts: a slot's row has its service
time and its interruptions, a node's row its clock at the last beat, and members' last heartbeats
and the waits of groups are also noted in service time (``groups.core.earlier``)."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("groups", "0059_reports")]

    operations = [
        migrations.AddField(
            model_name="node",
            name="clock_ms",
            field=models.BigIntegerField(
                help_text="Until when it could hear members at its last beat, by its clock.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="slot",
            name="served_ms",
            field=models.BigIntegerField(
                db_default=0,
                help_text="Its service time when its last owner ended, or when its owner began.",
            ),
        ),
        migrations.AddField(
            model_name="slot",
            name="shift_ms",
            field=models.BigIntegerField(
                help_text="Service time less the owner's clock; null: it does not serve the slot"
                " (yet).",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="slot",
            name="ended_at",
            field=models.DateTimeField(
                help_text="When the last owner ended; null: unknown.", null=True
            ),
        ),
        migrations.AddField(
            model_name="slot",
            name="is_noted",
            field=models.BooleanField(
                db_default=False,
                help_text="Whether it wrote all members' last heartbeats before.",
            ),
        ),
        migrations.AddField(
            model_name="slot",
            name="interruptions",
            field=models.JSONField(
                db_default=[], help_text="groups.core.earlier.Interruption, in order."
            ),
        ),
        migrations.AddField(
            model_name="liveness",
            name="since_ms",
            field=models.BigIntegerField(
                help_text="Since when the silence counts, in the slot's service time.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="waiting",
            name="waits",
            field=models.JSONField(
                db_default={},
                help_text="Group.waits, in the slot's service time: a new owner goes on from here.",
            ),
        ),
    ]
