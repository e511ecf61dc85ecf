"""Installations that tests share (``installations.py``)."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from rollcall.installation import Installation
from tests import installations


@pytest.fixture(scope="session")
def installation() -> Installation:
    """One for every test of every worker that only talks to it: groups, topics and users have
    names of the test's own. Who kills, configures or counts has an installation to itself."""
    return installations.shared(Path(os.environ["ROLLCALL_TEST_DIR"]))


@pytest.fixture(scope="session")
def pair() -> Iterator[Installation]:
    """Two nodes, for tests that kill one (``nodes.py``); they bear ``xdist_group("pair")``, and
    so come one after the other."""
    with Installation(installations.PAIR) as running:
        yield running
