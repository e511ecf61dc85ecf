"""Requests by chance, as schemathesis makes them from the description (``tests.api.contract``).

``make contract`` asks ten thousand, others each time; here each role is asked a little, and one
what covers the description of everything that is read, always the same.
"""

from typing import Final

import pytest

from launcher.installation import Installation
from tests.api import contract

pytestmark = [pytest.mark.long, pytest.mark.timeout(1_800)]


COVERED: Final = "administrator"
"""All rights: what the others are not refused for, they are answered as it is."""

A_LITTLE: Final = ("--phases", "examples,fuzzing,stateful")
COVERAGE: Final = ("--phases", "coverage", "--include-method", "GET")
"""Each end of each parameter. Of what changes something, bodies are most of the cases:
``test_inputs`` has those of every operation."""


def test_each_role_gets_the_documented_responses() -> None:
    contract.REPORTS.mkdir(parents=True, exist_ok=True)
    with contract.installation() as running:
        tokens = contract.tokens(running)
        for role, token in tokens.items():
            assert asked(running, role, token, A_LITTLE) > 100
        assert asked(running, COVERED, tokens[COVERED], COVERAGE) > 1_000


def asked(running: Installation, role: str, token: str, phases: tuple[str, ...]) -> int:
    """The number of cases, none of which failed."""
    ended = contract.ask(running, role, token, "--max-examples", "2", "--seed", "1", *phases)
    assert not ended.failed, ended.told[-20_000:]
    return ended.cases
