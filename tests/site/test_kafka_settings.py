"""Kafka-named settings: the variable, the default, the bounds, and the sentence on a mistake."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from coordinator_site.kafka_settings import SETTINGS, read
from coordinator_site.kafka_settings.groups import ASSIGNORS, DEFAULT_ASSIGNORS
from coordinator_site.setting_kinds import SettingError
from coordinator_site.settings_page import page
from groups.core.assignors import registry
from launcher.installation import CHECKOUT
from pipeline import config


def test_defaults_hold_when_nothing_is_set() -> None:
    values = read({})

    assert values["GROUP_INITIAL_REBALANCE_DELAY_MS"] == 3000
    assert values["GROUP_CONSUMER_ASSIGNORS"] == ("uniform", "range")
    assert values["AUTO_CREATE_TOPICS_ENABLE"] is True
    assert len(values) == len(SETTINGS)


def test_every_default_is_a_valid_value() -> None:
    for setting in SETTINGS:
        given = setting.default
        text = ",".join(given) if isinstance(given, tuple) else str(given)
        assert setting.parse(text) == given, setting.name


def test_value_comes_from_the_environment_variable() -> None:
    values = read(
        {
            "ROLLCALL_GROUP_INITIAL_REBALANCE_DELAY_MS": "0",
            "ROLLCALL_GROUP_CONSUMER_ASSIGNORS": "range",
            "ROLLCALL_AUTO_CREATE_TOPICS_ENABLE": "False",
            "ROLLCALL_GROUP_CONSUMER_MIGRATION_POLICY": "UPGRADE",
            "ROLLCALL_CONNECTIONS_MAX_IDLE_MS": "-1",
            "ROLLCALL_PARTITION_ASSIGNMENT_STRATEGIES": "mine = pack.age:deal, other=point",
        }
    )

    assert values["GROUP_INITIAL_REBALANCE_DELAY_MS"] == 0
    assert values["GROUP_CONSUMER_ASSIGNORS"] == ("range",)
    assert values["AUTO_CREATE_TOPICS_ENABLE"] is False
    assert values["GROUP_CONSUMER_MIGRATION_POLICY"] == "upgrade"
    assert values["CONNECTIONS_MAX_IDLE_MS"] == -1
    assert values["PARTITION_ASSIGNMENT_STRATEGIES"] == ("mine=pack.age:deal", "other=point")


def test_short_sessions_are_allowed_when_their_bound_is_lowered_too() -> None:
    values = read(
        {
            "ROLLCALL_GROUP_CONSUMER_SESSION_TIMEOUT_MS": "3000",
            "ROLLCALL_GROUP_CONSUMER_MIN_SESSION_TIMEOUT_MS": "1000",
        }
    )
    assert values["GROUP_CONSUMER_SESSION_TIMEOUT_MS"] == 3000


@pytest.mark.parametrize(
    ("variable", "text", "sentence"),
    [
        ("ROLLCALL_GROUP_MAX_SIZE", "many", r"\(group.max.size\) must be a whole number, not"),
        ("ROLLCALL_GROUP_MAX_SIZE", "0", "must be between 1 and 2147483647, not '0'"),
        ("ROLLCALL_NODE_LEASE_MS", "60001", "must be between 1000 and 60000"),
        ("ROLLCALL_AUTO_CREATE_TOPICS_ENABLE", "yes", "must be true or false, not 'yes'"),
        ("ROLLCALL_GROUP_CONSUMER_MIGRATION_POLICY", "never", "must be one of disabled, upgrade"),
        ("ROLLCALL_GROUP_CONSUMER_ASSIGNORS", "sticky", "a list of some of uniform, range"),
        ("ROLLCALL_GROUP_CONSUMER_ASSIGNORS", "range,range", "a list of some of uniform, range"),
        ("ROLLCALL_GROUP_COORDINATOR_REBALANCE_PROTOCOLS", "consumer", "a list with classic, not"),
        ("ROLLCALL_GROUP_CONSUMER_ASSIGNORS", ",", "a list of some of uniform, range"),
        ("ROLLCALL_PARTITION_ASSIGNMENT_STRATEGIES", "mine", "a list of name=value, no name"),
        ("ROLLCALL_PARTITION_ASSIGNMENT_STRATEGIES", "mine=", "a list of name=value, no name"),
        ("ROLLCALL_PARTITION_ASSIGNMENT_STRATEGIES", "a=x:y,a=x:z", "a list of name=value, no"),
    ],
)
def test_invalid_value_is_refused_by_name(variable: str, text: str, sentence: str) -> None:
    with pytest.raises(SettingError, match=f"{variable} .*{sentence}"):
        read({variable: text})


def test_minimum_above_its_maximum_is_refused_naming_both() -> None:
    with pytest.raises(SettingError) as refusal:
        read({"ROLLCALL_GROUP_CONSUMER_SESSION_TIMEOUT_MS": "3000"})

    assert "ROLLCALL_GROUP_CONSUMER_MIN_SESSION_TIMEOUT_MS" in str(refusal.value)
    assert "ROLLCALL_GROUP_CONSUMER_SESSION_TIMEOUT_MS" in str(refusal.value)


def test_names_are_unique_and_every_row_has_its_reason() -> None:
    names = [setting.name for setting in SETTINGS]
    assert len(set(names)) == len(names)
    assert all(setting.reason for setting in SETTINGS)


def test_the_page_is_the_table() -> None:
    """After a change: ``python -m coordinator_site.settings_page > docs/settings.md``."""
    assert page() == (CHECKOUT / "docs" / "settings.md").read_text()


def test_each_row_is_a_django_setting() -> None:
    for setting in SETTINGS:
        assert hasattr(settings, setting.attribute)


READ_BY_PREFIX = "sasl.oauthbearer."
"""These are read with the rest of the name alone (``protocol.authentication.bearer``)."""


def product() -> Iterator[Path]:
    """The files that may read a setting."""
    for folder in (
        "groups",
        "console",
        "protocol",
        "web",
        "coordinator_site",
        "launcher",
        "pipeline",
    ):
        for path in (CHECKOUT / folder).rglob("*.py"):
            if not {"kafka_settings", "migrations"} & set(path.parts):
                yield path


def test_the_pipeline_has_the_tables_default() -> None:
    """It reads the environment alone, and no code of the site."""
    assert config.what_if_retention_hours({}) == read({})["WHAT_IF_RETENTION_HOURS"]
    for odd in ("0", "-1", "month"):
        with pytest.raises(config.Unconfigured, match="WHAT_IF_RETENTION_HOURS"):
            config.what_if_retention_hours({"ROLLCALL_WHAT_IF_RETENTION_HOURS": odd})


def test_each_row_is_used_by_the_code() -> None:
    """Otherwise the page promises a setting that changes nothing."""
    text = "\n".join(path.read_text() for path in product())
    words = set(re.findall(r"\w+", text))
    unread = [
        setting.name
        for setting in SETTINGS
        if not {setting.attribute, setting.attribute.lower()} & words
        and f'"{setting.name}"' not in text
        and not setting.name.startswith(READ_BY_PREFIX)
    ]
    assert unread == []


def test_the_table_offers_the_built_in_assignors() -> None:
    """The launcher reads the table without the rules, so the names stand in both."""
    assert ASSIGNORS == registry.NAMES
    assert DEFAULT_ASSIGNORS == registry.DEFAULT_NAMES


def test_the_page_of_assignors_has_the_built_in_ones() -> None:
    text = (CHECKOUT / "docs" / "assignors.md").read_text()
    rows = re.findall(r"^\| `([\w-]+)` \|", text, re.MULTILINE)
    assert sorted(rows) == sorted(registry.NAMES)
