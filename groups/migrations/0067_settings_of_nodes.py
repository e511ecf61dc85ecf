"""The settings with which each node decided last: a start with others is an entry of the journal
(docs/facts.md)."""

from django.db import migrations

TABLE = """
CREATE TABLE rollcall_node_settings (
    node_id int PRIMARY KEY,
    settings jsonb NOT NULL,
    since timestamptz NOT NULL
);
COMMENT ON TABLE rollcall_node_settings IS
    'Settings of the rules with which a node started last, by name. Kept when the node ends.';
"""


class Migration(migrations.Migration):
    dependencies = [("groups", "0066_marks")]

    operations = [migrations.RunSQL(TABLE, "DROP TABLE rollcall_node_settings")]
