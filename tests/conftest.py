"""Installations that tests share (``installations.py``)."""

import os
from pathlib import Path

import pytest

from launcher.installation import Installation
from tests import installations

TWO_NODES = installations.Started(installations.PAIR)
IN_PAIR = "@pair"
"""What xdist adds to the id of a test in that group."""


@pytest.fixture(scope="session")
def installation() -> Installation:
    """One for every test of every worker that only talks to it: groups, topics and users have
    names of the test's own. Who kills, configures or counts has an installation to itself."""
    return installations.shared(Path(os.environ["ROLLCALL_TEST_DIR"]))


@pytest.fixture
def pair() -> Installation:
    """Two nodes, for tests that kill one (``nodes.py``); they bear ``xdist_group("pair")``, and
    so come one after the other."""
    return TWO_NODES.running()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """The two nodes end with the last test that needs them: idle, they would cost the others a
    twentieth of a processor. Where tests are in no groups, with the last one of all."""
    if nextitem is None or (
        item.nodeid.endswith(IN_PAIR) and not nextitem.nodeid.endswith(IN_PAIR)
    ):
        TWO_NODES.end()
