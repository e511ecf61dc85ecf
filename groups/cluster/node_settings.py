"""The settings by which a node decides, in the journal whenever a start changes them: without them
nobody can tell later why a group decided as it did (docs/facts.md)."""

import json
import logging
from collections.abc import Mapping
from dataclasses import fields

import psycopg

from groups.core.group import Rules
from groups.postgres import connections
from groups.store.sql import nodes as sql

logger = logging.getLogger(__name__)

NO_SETTINGS = frozenset({"guards", "plugged_in", "generations_after"})
"""Fields of ``Rules`` that no setting fills: code, and what the database says."""


def settings_of(rules: Rules) -> Mapping[str, str]:
    """Each setting of the rules by its name, as text."""
    values = {field.name: getattr(rules, field.name) for field in fields(rules)}
    values["strategies"] = tuple(name for name, _ in rules.strategies)
    return {
        name.replace("_", "."): ",".join(value) if isinstance(value, tuple) else str(value)
        for name, value in values.items()
        if name not in NO_SETTINGS
    }


async def note(node_id: int, rules: Rules) -> None:
    """Write an entry if the node started with other settings last time, or never. If that fails,
    the next start does it: a node serves without."""
    values = {"node_id": node_id, "settings": json.dumps(settings_of(rules))}
    try:
        async with await connections.connect("settings") as connection:
            await connection.execute(sql.NOTE_SETTINGS.encode(), values)
    except (psycopg.Error, OSError) as error:
        logger.warning("the settings of this start are not in the journal: %s", error)
