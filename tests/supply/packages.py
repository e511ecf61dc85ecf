"""``make packages``: the wheel and the source distribution, built twice, checked, and used where
nothing else is, on every Python from 3.11 to 3.14 that is there.

    python -m tests.supply.packages FOLDER TOOLS   # TOOLS: the folder with twine's program
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from launcher.installation import CHECKOUT

UV: Final = CHECKOUT / ".tools" / "uv" / "bin" / "uv"
PYTHONS: Final = ("3.11", "3.12", "3.13", "3.14")

MEMBER: Final = """
from rollcall.client import BlockingMember, from_config
from rollcall.testing import Coordinator
import sys

with Coordinator({"orders": 6}) as coordinator:
    for protocol in ("consumer", "classic"):
        options = {"protocol": protocol}
        with BlockingMember(coordinator.bootstrap, protocol, ["orders"], **options) as member:
            assert len(next(member.changes(timeout_s=30)).partitions) == 6
            member.commit({each: 1 for each in member.assigned})
        assert len(coordinator.offsets(protocol)) == 6
odd = [name for name in sys.modules if name.partition(".")[0] in ("groups", "django", "protocol")]
assert not odd, odd
print("ok")
"""

EXTRAS: Final = {
    "": (MEMBER, "ok"),
    "cli": (
        "import subprocess, sys; subprocess.run([sys.prefix + '/bin/rollcall', '--version'])",
        "rollcall",
    ),
    "mcp": ("import rollcall.cli.mcp as served, mcp; print(served.__name__)", "rollcall.cli.mcp"),
    "django": (
        "from django.conf import settings; settings.configure(INSTALLED_APPS="
        "['rollcall.contrib.django'], ROLLCALL={'bootstrap': 'h:1'}); import django;"
        " django.setup(); from django.core.management import call_command; call_command('check')",
        "no issues",
    ),
}
"""By extra: what runs in an environment that has the wheel with it alone, and what it prints."""


def run(*command: str | Path) -> str:
    """What a command prints; outside of the checkout, and without its settings. Raises
    ``SystemExit`` with its output if it fails."""
    own = ("PYTHON", "VIRTUAL_ENV", "UV_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    done = subprocess.run(
        command,
        cwd=tempfile.gettempdir(),
        env=kept,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def built(folder: Path) -> dict[str, str]:
    """The distributions, and the SHA-256 of each."""
    shutil.rmtree(folder, ignore_errors=True)
    run(UV, "build", "--quiet", "--out-dir", folder, CHECKOUT)
    paths = sorted(each for each in folder.iterdir() if each.suffix in (".whl", ".gz"))
    return {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in paths}


def is_there(version: str) -> bool:
    """Whether this Python can be run; a name on the path may stand for none."""
    found = shutil.which(f"python{version}")
    return (
        found is not None and not subprocess.run([found, "-c", ""], capture_output=True).returncode
    )


def used(wheel: Path, version: str) -> None:
    """Install the wheel with each extra into an empty environment, and use it."""
    with tempfile.TemporaryDirectory() as place:
        for extra, (program, printed) in EXTRAS.items():
            empty = Path(place, extra or "bare")
            python = empty / "bin" / "python"
            run(UV, "venv", "--quiet", "--python", version, empty)
            named = f"rollcall[{extra}] @ {wheel.as_uri()}"
            run(UV, "pip", "install", "--quiet", "--python", python, named)
            output = run(python, "-I", "-c", program)
            assert printed in output, output


def main(arguments: Sequence[str]) -> None:
    """Build into the first argument; one line for each thing that holds."""
    folder, tools = (Path(each).absolute() for each in arguments)
    first, again = built(folder), built(folder)
    if first != again:
        raise SystemExit(f"two builds differ: {first} {again}")
    print("built twice, the same bytes:")
    for name, digest in again.items():
        print(f"  {digest}  {name}")
    files = [folder / name for name in again]
    run(tools / "twine", "check", "--strict", *files)
    (wheel,) = (each for each in files if each.suffix == ".whl")
    run(tools / "check-wheel-contents", wheel)
    print("twine and check-wheel-contents find nothing")
    for version in PYTHONS:
        os.environ["PYENV_VERSION"] = version  # else its names on the path stand for none
        if not is_there(version):
            print(f"Python {version} is not installed: skipped")
            continue
        used(wheel, version)
        print(f"Python {version}: the wheel alone, and with {' and '.join(filter(None, EXTRAS))}")


if __name__ == "__main__":
    main(sys.argv[1:])
