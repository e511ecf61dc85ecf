"""The rows of days that are packed (migration 0080), for every statement that reads facts.

A row of ``rollcall_facts_packed`` has some hundred rows of one table and group as an array; its own
columns say when the earliest of them began and when the last was added, so that only those are
unpacked that can have what is looked for.
"""

from collections.abc import Mapping
from typing import Final

PACKED: Final = "rollcall_facts_packed"

PACKED_ROWS: Final[Mapping[str, str]] = {
    "rollcall_life": "unnest(p.life_rows)",
    "rollcall_ownership": "unnest(p.ownership_rows)",
    "rollcall_round": "unnest(p.round_rows)",
    "rollcall_silence": "unnest(p.silence_rows)",
    "rollcall_progress": "rollcall_unpacked_hours(p.of_group, p.hour_rows)",
}
"""The rows of each table in one row ``p``."""


def packed(table: str) -> str:
    """All rows of the table's packed days, to read from: ``r``, each with its ``p``."""
    return f"{PACKED} AS p CROSS JOIN LATERAL {PACKED_ROWS[table]} AS r"


def packed_of_group(table: str, columns: str, conditions: str, *, last: str = "%(last)s") -> str:
    """A SELECT of rows of the group ``group_id`` that were added since ``first`` and began by
    ``last``."""
    return packed_between(table, columns, f"p.of_group = %(group_id)s AND {conditions}", last=last)


def packed_between(table: str, columns: str, conditions: str, *, last: str = "%(last)s") -> str:
    """The same of every group; ``conditions`` may name some of them."""
    return f"""SELECT {columns} FROM {packed(table)}
    WHERE p.table_name = '{table}' AND p.last_at >= %(first)s
      AND p.began <= {last} AND r.at >= %(first)s AND {conditions}"""
