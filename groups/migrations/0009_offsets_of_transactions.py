"""Who put an offset into a transaction: the history of offsets names them at its end.

NULL where no history is kept, and for what waited already when this column came.
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
