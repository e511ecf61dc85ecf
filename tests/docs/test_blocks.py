"""Each block of code of the pages that a newcomer follows is run by a test, or is output."""

import re
from collections.abc import Iterator
from typing import Final

import pytest

from launcher.installation import CHECKOUT

FENCED: Final = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)

TOUR, PAGE = "tests/docs/test_tour.py", "tests/client_library/test_page.py"
SECURED = "tests/security/test_stock_clients.py"
DJANGO = "tests/client_library/test_contrib_django.py"
PACKAGES: Final = "tests/supply/packages.py"

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
    "docs/client.md": {
        "import asyncio": PAGE,
        "from rollcall.client import BlockingMember, Kind": PAGE,
        "from rollcall.client import BlockingMember, from_config": PAGE,
        "from rollcall.client import BlockingMember\n": SECURED,
        "ROLLCALL = {": DJANGO,
        "pip install 'rollcall[django]'": PACKAGES,
    },
    "examples/README.md": {".venv/bin/rollcall topic create": TOUR},
}
"""By page: how a block begins, and the test or program that runs it."""

OUTPUT: Final = {"README.md": ("ready kafka=",)}
DRAWN: Final = ("mermaid",)


def blocks(page: str) -> Iterator[str]:
    """The blocks of a page that are no drawings."""
    for language, text in FENCED.findall((CHECKOUT / page).read_text()):
        if language not in DRAWN:
            yield text


@pytest.mark.parametrize("page", RUN)
def test_every_block_is_run_or_is_output(page: str) -> None:
    known = (*RUN[page], *OUTPUT.get(page, ()))
    found = list(blocks(page))
    assert [text for text in found if not text.startswith(known)] == []
    assert [begins for begins in known if not any(t.startswith(begins) for t in found)] == []


def test_what_runs_them_is_there() -> None:
    named = {path for table in RUN.values() for path in table.values()}
    assert [path for path in named if not (CHECKOUT / path).exists()] == []
