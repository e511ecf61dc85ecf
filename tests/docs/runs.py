"""What runs the blocks of pages that ``test_commands.py`` does not run."""

from typing import Final

from tests.docs.blocks import Block

TOUR, PAGE = "tests/docs/test_tour.py", "tests/client_library/test_page.py"
SECURED = "tests/security/test_stock_clients.py"
DJANGO = "tests/client_library/test_contrib_django.py"
PACKAGES: Final = "tests/supply/packages.py"
EXACTLY_ONCE = "tests/docs/test_exactly_once.py"
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
        'curl -H "Authorization': TOUR,
        "export ROLLCALL_TOKEN": TOUR,
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
        "umask 077": "tests/launcher/test_password_file.py",
        "kafka-configs.sh": "tests/clients/test_kafka_tools.py",
        "from confluent_kafka.admin": OF_PAGES,
        "from kafka.admin": OF_PAGES,
    },
    "docs/draft-0.9.md": {"def assign": OF_PAGES},
    "docs/exactly-once.md": {
        "BEGIN;": OF_PAGES,
        "CREATE ROLE": EXACTLY_ONCE,
        "import os": EXACTLY_ONCE,
    },
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
    "examples/README.md": {".venv/bin/rollcall topic create": TOUR},
}
"""By page: how a block begins, and what runs it, or the same with other values."""


def is_named(block: Block) -> bool:
    """Whether a test other than that of commands runs it."""
    return block.page in WHOLE or block.text.startswith(tuple(RUN.get(block.page, ())))
