"""Every block of code of every page is run by a test, or is marked as what is no code.

A block in the language ``text`` is output, ``mermaid`` a drawing; files are read by what reads
such files (``test_files.py``). Commands of the programs of ``test_commands.RUN`` run there,
wherever they stand. For every other block the tables name what runs it.
"""

from collections.abc import Iterator
from typing import Final

import pytest

from launcher.installation import CHECKOUT
from tests.docs import test_commands
from tests.docs.blocks import DRAWN, FILES, PAGES, Block, blocks, commands, program

TOUR, PAGE = "tests/docs/test_tour.py", "tests/client_library/test_page.py"
SECURED = "tests/security/test_stock_clients.py"
DJANGO = "tests/client_library/test_contrib_django.py"
PACKAGES: Final = "tests/supply/packages.py"
TOOLS = "tests/clients/test_secured_tools.py"
OF_PAGES = "tests/docs/test_of_pages.py"
SUBMITTED = "tests/pipeline/test_command.py"

WHOLE: Final = {
    "docs/handbook.md": "tests/docs/test_handbook.py",
    "docs/rest.md": "tests/api/test_installation.py",
}
"""Pages whose test takes all of their blocks from them."""

RUN: Final = {
    "README.md": {
        "from rollcall.client import Work, worker": TOUR,
        "make run": TOUR,
        ".venv/bin/python - <<'PY'": TOUR,
        "import sys": TOUR,
        "import asyncio": TOUR,
    },
    "docs/acls.md": {"kafka-acls.sh": TOOLS},
    "docs/assignors.md": {"def assign_striped": "tests/core/consumer/test_plugins.py"},
    "docs/backups.md": {"./rollcall-server backup": "tests/launcher/test_backups.py"},
    "docs/cli.md": {"pip install 'rollcall[cli]'": PACKAGES},
    "docs/client.md": {
        "import asyncio": PAGE,
        "from rollcall.client import BlockingMember, Kind": PAGE,
        "from rollcall.client import BlockingMember, from_config": PAGE,
        "from rollcall.client import BlockingMember\n": SECURED,
        "ROLLCALL = {": DJANGO,
        "pip install 'rollcall[django]'": PACKAGES,
    },
    "docs/configuration.md": {
        "kafka-configs.sh": "tests/clients/test_kafka_tools.py",
        "from confluent_kafka.admin": OF_PAGES,
        "from kafka.admin": OF_PAGES,
    },
    "docs/draft-0.9.md": {"def assign": OF_PAGES},
    "docs/exactly-once.md": {"BEGIN;": OF_PAGES},
    "docs/facts.md": {"SELECT": OF_PAGES},
    "docs/migration.md": {"rollcall import-kafka": "tests/cli/test_import_kafka.py"},
    "docs/pause.md": {"member.paused": OF_PAGES},
    "docs/pipeline.md": {
        "JAVA_HOME=": SUBMITTED,
        "spark-submit --packages": SUBMITTED,
        "spark.dataSource.register": "tests/pipeline/test_journal_source.py",
        "lives = spark.readStream": "tests/pipeline/test_stream.py",
    },
    "docs/quotas.md": {"kafka-configs.sh": TOOLS},
    "docs/security.md": {"BEGIN;": OF_PAGES},
    "docs/testing.md": {"let_go = ": "tests/node/test_committer.py"},
    "docs/transactions.md": {"from confluent_kafka import": OF_PAGES},
    "deploy/kubernetes/README.md": {
        "   kubectl create": OF_PAGES,
        "make chart\nhelm install": "tests/deploy/test_chart.py",
    },
}
"""By page: how a block begins, and the test or program that runs it, or the same with other values."""


def left() -> Iterator[Block]:
    """Blocks that are code, of pages without a test of their own."""
    for page in PAGES:
        if page not in WHOLE:
            yield from (each for each in blocks(page) if each.language not in DRAWN + FILES)


def is_run(block: Block) -> bool:
    """By what the tables name, or because all of its programs are run wherever they stand."""
    if block.text.startswith(tuple(RUN.get(block.page, ()))):
        return True
    found = {program(command) for command in commands(block)} - {""}
    return bool(found) and found <= test_commands.RUN.keys()


def test_every_block_is_run_or_is_no_code() -> None:
    assert [block for block in left() if not is_run(block)] == []


@pytest.mark.parametrize("page", RUN)
def test_the_table_names_blocks_that_are_there(page: str) -> None:
    found = [block.text for block in blocks(page)]
    assert [begins for begins in RUN[page] if not any(t.startswith(begins) for t in found)] == []


def test_what_runs_them_is_there() -> None:
    named = {path for table in (WHOLE, *RUN.values()) for path in table.values()}
    assert [path for path in named if not (CHECKOUT / path).exists()] == []
