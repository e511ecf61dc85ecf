"""Identities of an OpenID provider's users, and second factors in the audit: set-up, new recovery
codes, removal, in the transaction of the change (as in migration 0028)."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

MOVES = "throttling_failure_count,throttling_failure_timestamp,last_used_at"
"""Columns that each login changes; logins are recorded separately."""

WATCHED = (
    ("otp_totp_totpdevice", "second-factor", "user_id", "key", f"{MOVES},last_t,drift"),
    ("otp_static_staticdevice", "recovery-codes", "user_id", "", MOVES),
    ("rollcall_openid_user", "provider-of-user", "user_id", "", ""),
)
"""Tables, and the arguments of migration 0028: the noun, the identifying column, columns that are
not shown, columns whose changes are not recorded."""


def _trigger(table: str, *arguments: str) -> migrations.RunSQL:
    said = ", ".join(f"'{argument}'" for argument in arguments)
    return migrations.RunSQL(
        f"CREATE TRIGGER rollcall_audit AFTER INSERT OR UPDATE OR DELETE ON {table}"
        f" FOR EACH ROW EXECUTE FUNCTION rollcall_audit_row({said})",
        f"DROP TRIGGER rollcall_audit ON {table}",
    )


class Migration(migrations.Migration):
    dependencies = [
        ("groups", "0039_saved_views"),
        ("otp_totp", "0003_add_timestamps"),
        ("otp_static", "0003_add_timestamps"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="OpenIdUser",
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
                ("issuer", models.TextField(db_collation="C", help_text="The provider's iss.")),
                ("subject", models.TextField(db_collation="C", help_text="The user's sub there.")),
            ],
            options={"db_table": "rollcall_openid_user"},
        ),
        migrations.AddConstraint(
            model_name="openiduser",
            constraint=models.UniqueConstraint(
                fields=["issuer", "subject"], name="openid_user_once"
            ),
        ),
        *(_trigger(*watched) for watched in WATCHED),
    ]
