"""Whether a group has a history of offsets, by the index alone.

PostgreSQL keeps the plan of a statement. One of a deletion that was made while the history had few
rows read all of it for each group, whatever it had grown to: of a topic that 10,000 groups had
committed, a hundred million rows.
"""

from django.db import migrations

HAS_HISTORY = """
CREATE FUNCTION rollcall_has_history(wanted text) RETURNS boolean LANGUAGE plpgsql STABLE
SET enable_seqscan TO off SET enable_bitmapscan TO off SET search_path TO public, pg_temp AS $$
BEGIN
    RETURN EXISTS (SELECT FROM rollcall_offset_history h WHERE h.group_id = wanted COLLATE "C");
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("groups", "0047_history_of_deletions")]

    operations = [migrations.RunSQL(HAS_HISTORY, "DROP FUNCTION rollcall_has_history(text)")]
