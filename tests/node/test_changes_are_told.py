"""Whatever changes a setting, or a topic's partitions or racks, is in the journal with what was
before and after: a replay of the past needs it (docs/facts.md)."""

import importlib
import json
import pkgutil
import re
from collections.abc import Mapping
from typing import Any, Final

import pytest

import console
import groups
import pipeline
import protocol
import web
from console.operations import sql as changes
from console.operations.functions import Function
from groups.cluster import node_settings
from groups.core.configs.entries import Change, ConfigOperation
from groups.core.group import Rules
from groups.store.sql import catalogue, configs, sweeps
from tests.in_process import Other
from tests.node.running import Running
from tests.sweeps.conftest import value

CHANGES = re.compile(
    r"(?:INSERT INTO|UPDATE|DELETE FROM)\s+(rollcall_(?:topic|group_config|node_settings))\b"
)
TOPIC = "01234567-89ab-cdef-0123-456789abcdef"
RACKS = {"0": ["a"]}

VALUES: Final[Mapping[str, Any]] = {
    "names": ["orders"],
    "name": "orders",
    "topic_ids": [TOPIC],
    "topic_id": None,
    "partitions": [4],
    "count": 6,
    "racks": json.dumps(RACKS),
    "node_id": 0,
    "author": "{}",
    "bell": catalogue.BELL,
    "hours": 0,
    "rows": 10,
    "configured": "config-changed",
}

TOLD: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    "CREATE_TOPICS": (catalogue.CREATE_TOPICS, {"after": {"partitions": 4}}),
    "GROW_TOPIC": (
        catalogue.GROW_TOPIC,
        {"before": {"partitions": 4}, "after": {"partitions": 6}},
    ),
    "PLACE_TOPIC": (changes.PLACE_TOPIC, {"before": {"racks": []}, "after": {"racks": RACKS}}),
    "DELETE_TOPIC": (catalogue.DELETE_TOPIC, {"before": {"partitions": 6, "topic_id": TOPIC}}),
}
"""Statements that tell themselves, in an order in which they can be executed."""

BY_THEIR_CALLERS: Final = {"PUT", "DROP", "SET", "FREEZE_GROUP", "THAW_GROUP"}
"""Followed by ``configs.NOTE`` in the same transaction, or with a decision's entry."""

OTHERS: Final = {"NOTE_SETTINGS", "ORPHANED_CONFIGS"}
NO_CHANGE: Final = {"RAISE_ENDS"}
"""Ends are reports of others, not settings."""


def test_no_statement_is_forgotten() -> None:
    found = set()
    for package in (groups, console, protocol, pipeline, web):
        for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not re.search(r"\.sql\b|\.queries\b|\.operations\b|\.sweeps\b", each.name):
                continue
            texts = vars(importlib.import_module(each.name)).items()
            found |= {
                name
                for name, text in texts
                if CHANGES.search(str(text)) and Function.__name__ not in str(text)
            }  # a function's statement is found by its own name
    assert found == {*TOLD, *BY_THEIR_CALLERS, *OTHERS, *NO_CHANGE}


async def told(other: Other) -> dict[str, Any]:
    """What the newest entry says that was before and after."""
    details = await value(other, "SELECT details FROM rollcall_journal ORDER BY id DESC LIMIT 1")
    return {name: details[name] for name in ("before", "after") if name in details}


async def test_a_change_of_a_topic_is_told(other: Other) -> None:
    for text, expected in TOLD.values():
        names = set(re.findall(r"%\((\w+)\)s", text))
        await other.execute(text.encode(), {name: VALUES[name] for name in names})
        assert await told(other) == expected


async def test_a_change_of_a_groups_settings_is_told(one: Running, other: Other) -> None:
    name = "consumer.session.timeout.ms"
    for operation, new, expected in (
        (ConfigOperation.SET, "50000", {"before": {name: None}, "after": {name: "50000"}}),
        (ConfigOperation.SET, "51000", {"before": {name: "50000"}, "after": {name: "51000"}}),
        (ConfigOperation.DELETE, None, {"before": {name: "51000"}, "after": {name: None}}),
    ):
        assert await one.node.configs.alter({"g": [Change(name, operation, new)]}) == {}
        assert await told(other) == expected


async def test_settings_of_a_group_that_never_was_are_told_when_they_go(
    one: Running, other: Other
) -> None:
    name = "consumer.session.timeout.ms"
    changes = [Change(name, ConfigOperation.SET, "50000")]
    assert await one.node.configs.alter({"g": changes}) == {}
    names = set(re.findall(r"%\((\w+)\)s", sweeps.ORPHANED_CONFIGS))
    values = {**VALUES, "bell": configs.BELL}
    await other.execute(sweeps.ORPHANED_CONFIGS.encode(), {name: values[name] for name in names})
    assert await told(other) == {"before": {name: "50000"}, "after": {name: None}}
    assert await value(other, "SELECT count(*) FROM rollcall_group_config") == 0


@pytest.mark.parametrize("rules", [Rules(group_consumer_assignors=("uniform", "range")), Rules()])
async def test_settings_of_a_node_are_told_when_a_start_changes_them(
    other: Other, rules: Rules
) -> None:
    await node_settings.note(0, rules)
    first = await told(other)
    assert first == {"before": {}, "after": dict(node_settings.settings_of(rules))}
    await node_settings.note(0, rules)
    assert await value(other, "SELECT count(*) FROM rollcall_journal") == 1, "nothing has changed"
    await node_settings.note(0, Rules(group_quiet_window_ms=7))
    changed = await told(other)
    assert changed["after"]["group.quiet.window.ms"] == "7"
    assert changed["before"]["group.quiet.window.ms"] == "500"
    assert changed["before"].keys() == changed["after"].keys() != first["after"].keys()
