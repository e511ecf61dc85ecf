"""docs/testing.md, where it speaks of the suite as a whole."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from launcher.installation import CHECKOUT

TESTS = CHECKOUT / "tests"
ALL_LONG = {"hosts", "upgrade", "wheel"}
"""These show what holds at a release."""


def test_no_test_asserts_on_elapsed_time() -> None:
    assert settings().deadline is None
    assert settings(max_examples=7).deadline is None


def test_every_folder_has_a_row() -> None:
    page = (CHECKOUT / "docs" / "testing.md").read_text()
    folders = {path.parent.name for path in TESTS.glob("*/test_*.py")}

    assert {name for name in folders if f"`tests/{name}`" not in page} == set()


@pytest.mark.long
@pytest.mark.timeout(600)
def test_every_tier_has_tests_that_are_not_long() -> None:
    asked = (sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", "not long")
    run = {name: value for name, value in os.environ.items() if name != "ROLLCALL_TEST_DIR"}
    output = subprocess.run(
        asked, cwd=CHECKOUT, env=run, capture_output=True, text=True, check=True
    )
    short = {
        Path(line.partition("::")[0]).parts[1] for line in output.stdout.split() if "::" in line
    }

    assert short == {path.parent.name for path in TESTS.glob("*/test_*.py")} - ALL_LONG
