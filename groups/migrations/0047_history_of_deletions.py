"""The history of offsets has their deletions too: a restore brought back what was deleted by then.

``is_gone``: the partitions of the row had no offset any more from then on; NULL for commits.
"""

from django.db import migrations

COLUMN = "ALTER TABLE rollcall_offset_history ADD COLUMN is_gone boolean"
NO_COLUMN = """
DELETE FROM rollcall_offset_history WHERE is_gone;
ALTER TABLE rollcall_offset_history DROP COLUMN is_gone
"""


class Migration(migrations.Migration):
    dependencies = [("groups", "0046_history_of_many")]

    operations = [migrations.RunSQL(COLUMN, NO_COLUMN)]
