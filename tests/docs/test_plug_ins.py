"""The 0.9 draft and commanded groups are plug-ins: without the folder and the row of one of them
the product serves, and the tests of everything else are found."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from conftest import RUN
from launcher.installation import Installation

CHECKOUT: Final = Path(__file__).resolve().parents[2]
ROW: Final = "    {kind}: PlugIn\\(.*\\),\n"
GENERATED: Final = shutil.ignore_patterns("node_modules")
"""What was compiled is copied, too: compiling all modules anew takes longer than the test."""

COLLECTED: Final = re.compile(r"(\d+) tests collected")
FOUND_MIN: Final = 6_000
"""Tests that do not need the kind; the whole suite has some 8,500."""


@pytest.fixture(params=["draft", "commanded"])
def without(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of the tree in which the kind is deleted, with this checkout's environment."""
    copy = tmp_path / "copy"
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=CHECKOUT, capture_output=True, check=True
    ).stdout.decode()
    for top in sorted({name.split("/")[0] for name in tracked.split("\0") if name}):
        source = CHECKOUT / top
        if source.is_dir():
            shutil.copytree(source, copy / top, ignore=GENERATED)
        else:
            copy.mkdir(exist_ok=True)
            shutil.copy2(source, copy / top)
    (copy / ".venv").symlink_to(CHECKOUT / ".venv")
    shutil.rmtree(copy / "groups/core" / request.param)
    kinds = copy / "groups/core/kinds.py"
    text, count = re.subn(ROW.format(kind=request.param.upper()), "", kinds.read_text())
    assert count == 1
    kinds.write_text(text)
    return copy


@pytest.mark.long
def test_without_a_plug_in_the_product_serves(without: Path) -> None:
    with Installation(checkout=without) as it:
        assert it.kafka and it.web


@pytest.mark.long
@pytest.mark.timeout(600)
def test_without_a_plug_in_all_other_tests_are_found(without: Path) -> None:
    # Its end removes the folder of its run, which must not be that of this one.
    environ = {name: value for name, value in os.environ.items() if name != RUN}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0", "tests"],
        cwd=without,
        env={**environ, "PYTHONPATH": str(without)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout[-2_000:]
    found = COLLECTED.search(done.stdout)
    assert found is not None and int(found[1]) > FOUND_MIN
