"""Users whose password was generated at the first start; and changes of the schedule in the audit,
in the transaction of the change, as those of people are (migration 0028)."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

WATCHED = (
    ("periodictask", "schedule", "name", "last_run_at,total_run_count,date_changed"),
    ("intervalschedule", "interval", "id", ""),
    ("crontabschedule", "crontab", "id", ""),
)
"""Tables of django_celery_beat: the noun, the identifying column, and columns that beat itself
writes."""


def _trigger(table: str, noun: str, named: str, aside: str) -> migrations.RunSQL:
    table = f"django_celery_beat_{table}"
    return migrations.RunSQL(
        f"CREATE TRIGGER rollcall_audit AFTER INSERT OR UPDATE OR DELETE ON {table}"
        f" FOR EACH ROW EXECUTE FUNCTION rollcall_audit_row('{noun}', '{named}', '', '{aside}')",
        f"DROP TRIGGER rollcall_audit ON {table}",
    )


class Migration(migrations.Migration):
    dependencies = [
        ("groups", "0032_quotas"),
        ("django_celery_beat", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="FirstPassword",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "digest",
                    models.CharField(
                        help_text="A digest of the stored password hash.", max_length=64
                    ),
                ),
            ],
            options={"db_table": "rollcall_first_password"},
        ),
        *(_trigger(*watched) for watched in WATCHED),
    ]
