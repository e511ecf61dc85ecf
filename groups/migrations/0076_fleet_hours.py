"""What each hour was like in the whole installation: the charts of the Overview (docs/facts.md).

A row an hour, made by a periodic task of the rounds, lives and hours of progress: charts of a month
read 720 rows, whatever the size of the installation.
"""

from django.db import migrations

HOURS = """
CREATE TABLE rollcall_fleet_hour (
    hour timestamptz PRIMARY KEY,
    members int NOT NULL,
    commits bigint NOT NULL,
    longest_ms bigint NOT NULL,
    idle_ms bigint NOT NULL,
    triggers text[] NOT NULL,
    rebalances int[] NOT NULL,
    group_ids text[] COLLATE "C" NOT NULL,
    group_rebalances int[] NOT NULL,
    group_idle_ms bigint[] NOT NULL
);
"""


class Migration(migrations.Migration):
    dependencies = [("groups", "0075_names_of_operations")]

    operations = [migrations.RunSQL(HOURS, "DROP TABLE rollcall_fleet_hour")]
