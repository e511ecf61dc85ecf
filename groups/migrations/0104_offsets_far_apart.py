"""Hours with any offsets are packed: a difference of two that does not fit into a bigint is kept
modulo 2^64, from which the offset is found again. The clean-up ended there.
"""

from django.db import migrations

OF_ANY = """CASE
        WHEN {0} BETWEEN -4611686018427387904 AND 4611686018427387903
         AND {2} BETWEEN -4611686018427387904 AND 4611686018427387903 THEN {0} {1} {2}
        ELSE (mod({0}::numeric {1} {2} + 27670116110564327424, 18446744073709551616)
              - 9223372036854775808)::bigint END"""
"""A difference or sum of two numbers of 64 bits; three times 2^63 makes it positive."""

DIFFERENCES = """
CREATE OR REPLACE FUNCTION rollcall_differences(more bigint[], less bigint[]) RETURNS bigint[]
LANGUAGE sql IMMUTABLE AS $$
    SELECT ARRAY(SELECT {}
        FROM unnest(more, less) WITH ORDINALITY AS each(m, l, i) ORDER BY i)
$$;
"""

UNPACKED = """
CREATE OR REPLACE FUNCTION rollcall_unpacked_hours(group_id text, hours rollcall_packed_hour[])
RETURNS SETOF rollcall_progress LANGUAGE sql IMMUTABLE ROWS 24 AS $$
    SELECT h.at, h.era, h.xid, h.id, h.hour, group_id, h.topic,
        ARRAY(SELECT generate_series(lower(r), upper(r) - 1) FROM unnest(h.partitions) AS r),
        rollcall_unpacked_numbers(h.commits)::int[],
        rollcall_differences(rollcall_unpacked_numbers(h.last_offsets),
                             rollcall_unpacked_numbers(h.advanced)),
        rollcall_unpacked_numbers(h.last_offsets),
        rollcall_unpacked_numbers(h.pauses_ms)::int[],
        rollcall_unpacked_numbers(h.lives),
        ARRAY(SELECT {} FROM unnest(
                  rollcall_unpacked_numbers(h.last_offsets), rollcall_unpacked_numbers(h.lags))
              WITH ORDINALITY AS each(last_offset, lag, i) ORDER BY i)
    FROM unnest(hours) AS h
$$;
"""


class Migration(migrations.Migration):
    dependencies = [("groups", "0103_rows_of_runs_upon_runs")]

    operations = [
        migrations.RunSQL(
            DIFFERENCES.format(OF_ANY.format("m", "-", "l")), DIFFERENCES.format("m - l")
        ),
        migrations.RunSQL(
            UNPACKED.format(OF_ANY.format("last_offset", "+", "lag")),
            UNPACKED.format("last_offset + lag"),
        ),
    ]
