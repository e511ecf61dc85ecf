"""The principal of a commit, authenticated by its listener: in the history of offsets, and of
pending offsets.

NULL in rows of nodes of the previous version. A commit in SQL has the application's login, which is
not a principal of Kafka: ``Login:`` and the name with which the session began.
"""

from importlib import import_module

from django.db import migrations

locks = import_module("groups.migrations.0016_application_locks")

COLUMNS = """
ALTER TABLE rollcall_offset_history ADD COLUMN principal text;
ALTER TABLE rollcall_pending_offset ADD COLUMN principal text
"""

NO_COLUMNS = """
ALTER TABLE rollcall_offset_history DROP COLUMN principal;
ALTER TABLE rollcall_pending_offset DROP COLUMN principal
"""

BEFORE = locks.Migration.operations[1].sql
WHO = "NEW.member_id, m.client_id, m.client_host FROM told"
assert BEFORE.count(WHO) == 1
SETTLE = BEFORE.replace(
    WHO, "NEW.member_id, m.client_id, m.client_host, 'Login:' || session_user FROM told"
)


class Migration(migrations.Migration):
    dependencies = [("groups", "0024_waiting")]

    operations = [
        migrations.RunSQL(COLUMNS, NO_COLUMNS),
        migrations.RunSQL(SETTLE, BEFORE),
    ]
