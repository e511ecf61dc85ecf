"""Requests by chance, as schemathesis makes them from the description (``tests.api.contract``).

``make contract`` asks ten thousand; here each role is asked what covers the description.
"""

import pytest

from tests.api import contract

pytestmark = [pytest.mark.long, pytest.mark.timeout(1_800)]


def test_each_role_is_answered_as_the_description_says() -> None:
    contract.REPORTS.mkdir(parents=True, exist_ok=True)
    with contract.installation() as running:
        for role, token in contract.tokens(running).items():
            ended = contract.ask(running, role, token, "--max-examples", "2")
            assert not ended.failed, ended.told[-20_000:]
            assert ended.cases > 1_000, ended.told[-2_000:]
