"""What each node did in each minute: the charts of the Nodes page."""

from django.db import migrations

MINUTES = """
CREATE TABLE rollcall_node_minute (
    at timestamptz NOT NULL,
    node_id int NOT NULL,
    seconds real NOT NULL,
    heartbeats bigint NOT NULL,
    commits bigint NOT NULL,
    lag_ms int NOT NULL,
    slots smallint NOT NULL,
    PRIMARY KEY (at, node_id)
);
COMMENT ON COLUMN rollcall_node_minute.seconds IS 'The time until at that the others are about.';
"""


class Migration(migrations.Migration):
    dependencies = [("groups", "0100_attention_rules")]

    operations = [migrations.RunSQL(MINUTES, "DROP TABLE rollcall_node_minute")]
