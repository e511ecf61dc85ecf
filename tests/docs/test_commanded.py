"""docs/commanded.md agrees with the tables and the messages of the code."""

from pathlib import Path

import pytest

from coordinator_site.kafka_settings import SETTINGS
from coordinator_site.setting_kinds import Number
from protocol.apis import APIS
from rollcall.wire.kinds import Struct
from rollcall.wire.messages import PRIVATE_FROM
from rollcall.wire.messages.poll_commands import Command
from tests.core.commanded.words import CONDITIONS, MEANINGS, QUEUES
from tests.docs.test_draft import _cells, versions

PAGE = Path(__file__).parents[2] / "docs" / "commanded.md"

KEYS = range(PRIVATE_FROM, PRIVATE_FROM + 10)
"""Those after them are of other matters (docs/assignors.md)."""

PRIVATE = [api for api in APIS.values() if api.key in KEYS]

MINE = ("rebalance.max.retries", "rebalance.backoff.ms")


def rows() -> list[list[str]]:
    """The lines of all tables, as cells."""
    lines = PAGE.read_text().splitlines()
    return [_cells(line) for line in lines if line.startswith("|")]


@pytest.mark.parametrize("table", [MEANINGS, QUEUES, CONDITIONS], ids=["states", "queue", "check"])
def test_the_page_has_the_table_line_by_line(table: dict[str, str]) -> None:
    wanted = [[word, meaning] for word, meaning in table.items()]
    assert [row for row in rows() if row in wanted] == wanted


def test_the_page_has_every_private_api() -> None:
    documented = [row[:3] for row in rows()]
    for api in PRIVATE:
        wanted = [api.name, str(api.key), versions(api.min_version, api.max_version)]
        assert wanted in documented


def names_of(cls: type[Struct]) -> list[str]:
    return [field.name for field in cls.wire_fields]


@pytest.mark.parametrize(
    "cls",
    [*(cls for api in PRIVATE for cls in (api.request, api.response)), Command],
    ids=lambda cls: cls.__name__,
)
def test_the_page_has_every_field_in_order(cls: type[Struct]) -> None:
    documented = [row[0] for row in rows()]
    wanted = names_of(cls)
    assert any(documented[at : at + len(wanted)] == wanted for at in range(len(documented))), wanted


def test_the_page_has_the_settings_with_their_bounds() -> None:
    settings = {setting.name: setting for setting in SETTINGS}
    for name in MINE:
        setting = settings[name]
        assert isinstance(setting, Number)
        bounds = f"{setting.least} … {setting.most}"
        assert [name, str(setting.default), bounds] in [row[:3] for row in rows()]
