"""``python -m tests.hosts``: rounds of faults on three hosts; status 1 where one did not hold.

Needs root, for network namespaces; everything that it makes ends with it.
"""

import argparse
import os
import shutil
import sys
import tempfile
from itertools import cycle, islice
from pathlib import Path
from typing import NoReturn

from tests.hosts import network
from tests.hosts.databases import Pair
from tests.hosts.faults import FAULTS
from tests.hosts.members import GROUPS, Members
from tests.hosts.probing import Probing
from tests.hosts.rounds import Round, play, summary
from tests.hosts.site import Site
from tests.launcher.conftest import PASSABLE


def main() -> int:
    """The whole run."""
    parser = argparse.ArgumentParser(prog="python -m tests.hosts", description=__doc__)
    parser.add_argument("--rounds", type=int, default=0, help="default: one of each fault")
    parser.add_argument("--only", nargs="+", choices=FAULTS, default=list(FAULTS), help="faults")
    asked = parser.parse_args()
    if network.INSIDE not in os.environ:
        enter()
    names = list(islice(cycle(asked.only), asked.rounds or len(asked.only)))
    folder = Path(tempfile.mkdtemp(prefix="rollcall-hosts-"))
    folder.chmod(PASSABLE)
    rounds = run(folder, names)
    for line in summary(rounds):
        print(line)
    if any(each.violations for each in rounds) or len(rounds) < len(names):
        print(f"logs: {folder}")
        return 1
    shutil.rmtree(folder)
    return 0


def enter() -> NoReturn:
    """The same program in namespaces of its own."""
    if not network.is_possible():
        sys.exit("Network namespaces cannot be made here: this needs root, unshare and ip.")
    os.environ[network.INSIDE] = "yes"
    words = [*network.ENTER, sys.executable, "-m", "tests.hosts", *sys.argv[1:]]
    os.execvp(words[0], words)


def run(folder: Path, names: list[str]) -> list[Round]:
    """Start everything, play, and stop everything."""
    network.make()
    databases = Pair(folder)
    site = Site(folder, databases)
    rounds = []
    try:
        site.start()
        members = Members(site.reached)
        probing = Probing(site, list(GROUPS))
        with members.working():
            probing.start()
            for each in play(site, members, probing, names):
                print(each, flush=True)
                rounds.append(each)
            probing.stop()
    finally:
        site.stop()
        databases.stop()
    return rounds


if __name__ == "__main__":
    sys.exit(main())
