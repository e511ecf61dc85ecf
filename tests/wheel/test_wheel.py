"""The wheel, built and installed where nothing else is: its member library works by itself."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.wire import create_topic
from launcher.installation import CHECKOUT, Installation
from tests.supply.packages import MEMBER

pytestmark = [pytest.mark.long, pytest.mark.timeout(400)]

UV = CHECKOUT / ".tools" / "uv" / "bin" / "uv"

OURS = ("ROLLCALL_", "DJANGO_", "PYTHON", "VIRTUAL_ENV")

WORKER = """
import asyncio, sys
from rollcall.client import Member


async def main():
    async with Member(sys.argv[1], sys.argv[2], [sys.argv[2]]) as member:
        async for change in member:
            print(change.kind.value, sorted(p.partition for p in change.partitions))
            return


asyncio.run(main())
"""


def run(*command: str | Path, folder: Path) -> str:
    """What a command prints; it knows nothing of the checkout or its environment."""
    told = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    done = subprocess.run(command, cwd=folder, env=told, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """The Python of an environment that has the wheel, and none of its dependencies."""
    if not UV.exists():
        pytest.skip("make setup brings uv, which builds the wheel")
    run(UV, "build", "--quiet", "--wheel", "--out-dir", tmp_path, CHECKOUT, folder=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    empty = tmp_path / "environment"
    run(UV, "venv", "--quiet", "--python", sys.executable, empty, folder=tmp_path)
    found = empty / "bin" / "python"
    install = ("pip", "install", "--quiet", "--no-deps", "--python", found, wheel)
    run(UV, *install, folder=tmp_path)
    return found


def test_the_types_of_the_installed_library_are_checked(python: Path, tmp_path: Path) -> None:
    """``py.typed`` is in the wheel (PEP 561)."""
    (tmp_path / "worker.py").write_text(WORKER)
    (tmp_path / "wrong.py").write_text("from rollcall.client import Member\nMember(1, 2, 3)\n")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(python)]
    checked = {
        name: subprocess.run([*mypy, name], cwd=tmp_path, capture_output=True, text=True).stdout
        for name in ("worker.py", "wrong.py")
    }
    assert "py.typed" not in checked["worker.py"]
    assert checked["wrong.py"].count("[arg-type]") >= 2, checked["wrong.py"]


def test_a_member_of_the_installed_library_joins_a_group(
    python: Path, installation: Installation, tmp_path: Path
) -> None:
    asyncio.run(create_topic(installation.kafka, "wheels", 3))

    output = run(python, "-c", WORKER, installation.kafka, "wheels", folder=tmp_path)

    assert output == "assigned [0, 1, 2]\n"


def test_workers_are_tested_without_a_server_by_the_wheel_alone(
    python: Path, tmp_path: Path
) -> None:
    """It has the rules, and not as ``groups``."""
    assert run(python, "-c", MEMBER, folder=tmp_path) == "ok\n"
