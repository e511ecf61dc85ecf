"""``make stranger``: the README's two commands in a Debian that has nothing but what the README
asks for, and the wheel with each of its extras there, as a user without rights. Needs root and
mmdebstrap; the first run downloads each Debian.

    python -m tests.supply.stranger FOLDER [--wheel WHEEL] [--test COMMAND] [--only RELEASE]

FOLDER keeps the Debians. ``--test``: in place of ``make test``; an empty one is left out.
"""

import argparse
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from launcher.installation import CHECKOUT
from tests.docker.rootfs import FROM_OUTSIDE, OF_THE_MACHINE, make_debian, mounted, variables
from tests.docs.test_tour import READY, Terminal, after, shared
from tests.launcher.waiting import until
from tests.supply.packages import EXTRAS

RELEASES: Final = {"bookworm": "3.11", "trixie": "3.13", "forky": "3.14"}
"""And the Python of each."""

PACKAGES: Final = "python3,python3-venv,make,ca-certificates"
"""What the README asks for, and whom to trust."""

UID: Final = 10001
HOME: Final = "/home/stranger"
PATIENCE_S: Final = 600
"""To install everything, on a machine that does much else."""

ANY_PORT: Final = {f"ROLLCALL_{name}_PORT": "0" for name in ("KAFKA", "DRAFT", "WEB")}


class Debian:
    """One in which a stranger has the checkout as it is committed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / HOME.lstrip("/")

    def command(self, *words: str, environ: Mapping[str, str] | None = None) -> list[str]:
        """What runs a program as the stranger, in the checkout."""
        binds = [f"mount --bind /{name} {self.root}/{name}" for name in OF_THE_MACHINE]
        who = ["setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups", "--no-new-privs"]
        own = {"PATH": "/usr/bin:/bin", "HOME": HOME, "LANG": "C.UTF-8", **FROM_OUTSIDE}
        told = variables({**own, **(environ or {})})
        place = f"--chdir={HOME}/rollcall"
        inside = ["chroot", str(self.root), *who, "env", "-i", place, *told, *words]
        return mounted(self.root, binds, inside)

    def run(self, *words: str) -> str:
        """What it prints. Raises ``SystemExit`` with that if it fails."""
        done = subprocess.run(
            self.command(*words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        if done.returncode:
            raise SystemExit(f"{shlex.join(words)}\n{done.stdout}")
        return done.stdout

    @contextmanager
    def terminal(self, *words: str, environ: Mapping[str, str] | None = None) -> Iterator[Terminal]:
        """A program in a terminal of its own, which gets Ctrl-C in the end."""
        made = Terminal(self.command(*words, environ=environ), CHECKOUT, {})
        try:
            yield made
        finally:
            if made.process.poll() is None:
                made.end(signal.SIGINT)


def make(folder: Path, release: str) -> Debian:
    """A copy of the Debian that is kept, with a user and the checkout."""
    base, root = folder / f"base-{release}", folder / release
    if not base.exists():
        part = folder / f"{release}.part"
        make_debian(part, release, PACKAGES)
        part.rename(base)
    shutil.rmtree(root, ignore_errors=True)
    subprocess.run(["cp", "--archive", "--reflink=auto", str(base), str(root)], check=True)
    for name in OF_THE_MACHINE:
        (root / name).touch()
    made = Debian(root)
    (made.home / "rollcall").mkdir(parents=True)
    with (root / "etc" / "passwd").open("a") as users:
        users.write(f"stranger:x:{UID}:{UID}::{HOME}:/bin/sh\n")
    sources = subprocess.Popen(["git", "archive", "HEAD"], cwd=CHECKOUT, stdout=subprocess.PIPE)
    unpack = ["tar", "-x", "-C", str(made.home / "rollcall")]
    subprocess.run(unpack, stdin=sources.stdout, check=True)
    assert sources.wait() == 0
    subprocess.run(["chown", "-R", f"{UID}:{UID}", str(made.home)], check=True)
    return made


def tour(debian: Debian) -> None:
    """``make run``, and the README's five minutes, word for word but for the ports."""
    run = next(line for line in after("## Two commands").splitlines() if "make run" in line)
    with debian.terminal("sh", "-c", run, environ=ANY_PORT) as rollcall:
        until(lambda: rollcall.said or rollcall.process.poll() is not None, "a line", PATIENCE_S)
        ready = READY.fullmatch("".join(rollcall.said[:1]))
        assert ready, rollcall.said

        def here(text: str) -> str:
            return text.replace("127.0.0.1:9092", ready[1])

        debian.run("sh", "-c", here(after("## Five minutes with a stock client")))
        program = debian.home / "rollcall" / "worker.py"
        program.write_text(here(after("Save this as `worker.py`", "python")))
        worker = (".venv/bin/python", "-u", "worker.py")
        with debian.terminal(*worker, "anna") as anna:
            anna.until_printed("works on [0, 1, 2, 3, 4, 5]")
            with debian.terminal(*worker, "ben") as ben:
                until(lambda: shared(anna, ben), "each has three", PATIENCE_S)
                ben.end(signal.SIGKILL)
            anna.until_printed("works on [0, 1, 2, 3, 4, 5]", times=2)


def use(debian: Debian, wheel: Path) -> None:
    """The wheel with each extra in an empty environment, brought by pip."""
    shutil.copy(wheel, debian.home)
    for extra, (program, printed) in EXTRAS.items():
        place = f"{HOME}/{extra or 'bare'}"
        debian.run("python3", "-m", "venv", place)
        named = f"rollcall[{extra}] @ file://{HOME}/{wheel.name}"
        debian.run(f"{place}/bin/pip", "install", "--quiet", named)
        output = debian.run(f"{place}/bin/python", "-I", "-c", program)
        assert printed in output, output


def main(arguments: list[str]) -> None:
    """One line for each thing that holds."""
    parser = argparse.ArgumentParser(prog="python -m tests.supply.stranger", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", choices=RELEASES)
    parser.add_argument("--wheel", type=Path)
    parser.add_argument("--test", default="make test")
    given = parser.parse_args(arguments)
    given.folder.mkdir(parents=True, exist_ok=True)
    for release in (given.only,) if given.only else RELEASES:
        debian = make(given.folder.absolute(), release)
        version = debian.run("python3", "--version").strip()
        assert re.match(rf"Python {RELEASES[release]}\b", version), version
        if given.wheel:
            use(debian, given.wheel)
            print(f"{release}, {version}: the wheel alone, and with each extra", flush=True)
        tour(debian)
        print(f"{release}, {version}: make run, and five minutes with a stock client", flush=True)
        if given.test:
            done = subprocess.run(debian.command("sh", "-c", given.test), env=dict(os.environ))
            assert done.returncode == 0, f"{given.test}: {done.returncode}"
            print(f"{release}, {version}: {given.test}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
