"""Requests by chance, as schemathesis makes them from the description (``tests.api.contract``).

``make contract`` asks ten thousand, others each time; here one role is asked what covers the
description and the others a little, always the same.
"""

from typing import Final

import pytest

from tests.api import contract

pytestmark = [pytest.mark.long, pytest.mark.timeout(1_800)]


COVERED: Final = "administrator"
"""All rights: what the others are not refused for, they are answered as it is."""


def test_each_role_gets_the_documented_responses() -> None:
    contract.REPORTS.mkdir(parents=True, exist_ok=True)
    with contract.installation() as running:
        for role, token in contract.tokens(running).items():
            how = () if role == COVERED else ("--phases", "examples,fuzzing")
            ended = contract.ask(running, role, token, "--max-examples", "2", "--seed", "1", *how)
            assert not ended.failed, ended.told[-20_000:]
            least = 1_000 if role == COVERED else 100
            assert ended.cases > least, ended.told[-2_000:]
