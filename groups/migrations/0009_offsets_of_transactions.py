"""The author of an offset in a transaction, for the history of offsets at its end.

NULL if no history is kept, and for offsets that were pending when this column was added.
"""

from django.db import migrations

COLUMNS = """
ALTER TABLE rollcall_pending_offset
    ADD COLUMN member_id text, ADD COLUMN client_id text, ADD COLUMN client_host text
"""

NO_COLUMNS = """
ALTER TABLE rollcall_pending_offset
    DROP COLUMN member_id, DROP COLUMN client_id, DROP COLUMN client_host
"""


class Migration(migrations.Migration):
    dependencies = [("groups", "0008_assignors")]

    operations = [migrations.RunSQL(COLUMNS, NO_COLUMNS)]
