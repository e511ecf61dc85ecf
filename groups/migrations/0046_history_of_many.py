"""A row of the history of offsets holds all partitions of a topic that a client committed at once:
the first one in the columns of before, the others in arrays.

Rows of before, and those of one partition, have no arrays. ``more_leader_epochs`` or
``more_metadata`` NULL: the others have what the first one has.
"""

from django.db import migrations

COLUMNS = """
ALTER TABLE rollcall_offset_history
    ADD COLUMN more_partitions integer[],
    ADD COLUMN more_offsets bigint[],
    ADD COLUMN more_leader_epochs integer[],
    ADD COLUMN more_metadata text[]
"""

NO_COLUMNS = """
ALTER TABLE rollcall_offset_history
    DROP COLUMN more_partitions, DROP COLUMN more_offsets, DROP COLUMN more_leader_epochs,
    DROP COLUMN more_metadata
"""


class Migration(migrations.Migration):
    dependencies = [("groups", "0045_list_orders")]

    operations = [migrations.RunSQL(COLUMNS, NO_COLUMNS)]
