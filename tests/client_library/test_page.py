"""docs/client.md: its drawings are those of the tables, its examples run."""

import asyncio
import re
import subprocess
import sys

import pytest

from benchmarks.wire import create_topic
from launcher.installation import CHECKOUT, Installation
from tests.client_library.drawing import MACHINES, PAGE, between, drawn

EXAMPLES = dict(
    re.findall(r"\n## ([^\n]+)\n(?:(?!\n## ).)*?\n```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
)

SAYS = {
    "A first worker": "assigned [0, 1, 2, 3, 4, 5]",
    "A function per partition": "18",
    "Tests without a server": "assigned 6\nlost 6",
    "A configuration of another client": "assigned 6",
    "Working and committing": "60\n" + "\n".join(f"stopped {n} at 10" for n in range(6)),
    "Fencing your own storage": "True\nFalse",
    "Without asyncio": "[0, 1, 2, 3, 4, 5]",
    "Stopped by an operator": "6",
    "An assignor of your own": "6",
    "Assigning for the whole group": "[0, 2, 4] [1, 3, 5]",
    "Commanded groups": "\n".join(f"{n} is for thread {n // 3}" for n in range(6)),
    "The 0.9 draft of 2014": "assigned 6 in generation 1",
}


SECURED = {"Over TLS, as a user"}
"""Those of a listener with TLS and users: ``tests/security/test_stock_clients.py`` runs them."""

SETTINGS = {"In a Django project"}
"""What is no program: ``test_contrib_django.py`` checks such settings."""


@pytest.mark.parametrize("name", MACHINES)
def test_the_page_has_the_state_machine_of_the_table(name: str) -> None:
    found = between(name).search(PAGE.read_text())

    assert found is not None
    assert found[0] == found[1] + drawn(MACHINES[name]) + found[2]


def test_every_example_of_the_page_is_tested() -> None:
    assert EXAMPLES.keys() == SAYS.keys() | SECURED | SETTINGS


@pytest.mark.timeout(200)
@pytest.mark.xdist_group("page")  # examples share their names of groups
@pytest.mark.parametrize("heading", SAYS)
def test_an_example_does_what_the_page_documents(heading: str, installation: Installation) -> None:
    asyncio.run(create_topic(installation.kafka, "orders", 6))
    program = EXAMPLES[heading].replace("127.0.0.1:9092", installation.kafka)
    program = program.replace("127.0.0.1:9392", installation.draft)

    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=CHECKOUT, capture_output=True, text=True, timeout=90
    )

    assert ran.returncode == 0, ran.stderr
    said = ran.stdout.strip().splitlines()
    assert sorted(said) == sorted(SAYS[heading].splitlines()), ran.stderr
