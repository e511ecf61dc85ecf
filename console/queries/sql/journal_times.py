"""The SQL that finds entries by their time; ``console.queries.journal_times`` executes it."""

FIRST_SINCE = """
WITH RECURSIVE halving(low, high) AS (
    SELECT min(id), max(id) FROM rollcall_journal
    UNION ALL
    SELECT CASE WHEN is_since THEN low ELSE found.id + 1 END,
           CASE WHEN is_since THEN (low + high) / 2 ELSE high END
    FROM halving CROSS JOIN LATERAL (
        SELECT id, at + %s >= %s AS is_since FROM rollcall_journal
        WHERE id >= (low + high) / 2 ORDER BY id LIMIT 1
    ) AS found
    WHERE low < high
)
SELECT coalesce((SELECT low FROM halving WHERE low >= high LIMIT 1), 0)
"""
"""Bisection: each step looks at one entry, by its number."""
