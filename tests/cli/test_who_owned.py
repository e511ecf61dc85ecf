"""Who owned partition 7 at a time, for a member of each protocol: the command line, REST and the
documentation's own SQL say the same, before and after the member has left."""

import json
import re
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen
from uuid import uuid4

import psycopg
import pytest

from launcher.installation import Installation
from rollcall.client import Member
from tests.cli.conftest import Cli
from tests.docs.blocks import blocks
from tests.installations import TOKEN

pytestmark = pytest.mark.xdist_group("cli")

MEMBERS: dict[str, dict[str, Any]] = {
    "eager": {"protocol": "classic", "assignor": "range"},
    "cooperative": {"protocol": "classic", "assignor": "cooperative-sticky"},
    "consumer": {"protocol": "consumer"},
    "draft": {"protocol": "draft"},
    "commanded": {"protocol": "commanded"},
}
OWNED, PARTITIONS = 7, 8

(BY_SQL,) = (
    block.text for block in blocks("docs/facts.md") if f"o.partitions @> {OWNED}" in block.text
)


@pytest.mark.parametrize("kind", MEMBERS)
async def test_who_owned_a_partition_is_one_answer(
    kind: str, cli: Cli, installation: Installation
) -> None:
    name = f"owned-{kind}-{uuid4().hex[:8]}"
    assert cli("topic", "create", name, "--partitions", str(PARTITIONS)).code == 0
    begun = datetime.now(UTC)
    bootstrap = installation.draft if kind == "draft" else installation.kafka
    async with Member(bootstrap, name, [name], client_id="anna", **MEMBERS[kind]) as member:
        async for _change in member:
            if any(one.partition == OWNED for one in member.assigned):
                break
        at = datetime.now(UTC).isoformat()
        told = answers(cli, installation, name, at)
        assert [client for _, client in told] == ["anna"]
    assert answers(cli, installation, name, at) == told, "it has left since"
    assert answers(cli, installation, name, begun.isoformat()) == []


def answers(cli: Cli, installation: Installation, name: str, at: str) -> list[tuple[str, str]]:
    """The members and their client ids, the same from each."""
    typed = cli("group", "owner", name, name, str(OWNED), "--at", at, "-o", "json").json
    query = urlencode({"topic": name, "partition": OWNED, "since": at, "until": at})
    request = Request(
        f"{installation.web}/api/v1/groups/{name}/owners?{query}",
        headers={"Authorization": f"Bearer {TOKEN}"},
    )
    with urlopen(request) as answered:
        rest = json.load(answered)["data"]
    asked = BY_SQL.replace("packers", name).replace("'orders'", f"'{name}'")
    url = (installation.data_dir / "database-url").read_text().strip()
    with psycopg.connect(url) as connection:
        rows = connection.execute(re.sub(r"'2026[^']*'", f"'{at}'", asked).encode()).fetchall()
    by_each = [
        sorted((row["member_id"], row["client_id"]) for row in typed),
        sorted((row["member_id"], row["client_id"]) for row in rest),
        sorted((row[0], row[1]) for row in rows),
    ]
    assert by_each == [by_each[0]] * len(by_each)
    return by_each[0]
