"""kcat as a member of a group, in the shape of the other workers: it says on standard error what it
is given, in a line for each rebalance."""

import re
import shutil
import subprocess
import threading
from collections.abc import Callable

import pytest

from tests.clients.conftest import PATIENCE_S

REBALANCED = re.compile(r"^% Group \S+ rebalanced .*?: (assigned|revoked): (.*)$")
PARTITION = re.compile(r"\[(\d+)\]")


def program() -> str:
    """Where kcat lies; skips the test where it is not installed."""
    found = shutil.which("kcat")
    if found is None:
        pytest.skip("kcat is not installed")
    return found


class Kcat:
    """One kcat that reads a topic in the group of the same name."""

    def __init__(self, bootstrap: str, name: str) -> None:
        command = (program(), "-b", bootstrap, "-X", "heartbeat.interval.ms=500", "-G", name, name)
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.owned: set[int] = set()
        self.said = ""
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._changed:
                self.said += line
                rebalanced = REBALANCED.match(line)
                if rebalanced is not None:
                    moved = {int(number) for number in PARTITION.findall(rebalanced[2])}
                    self.owned = moved if rebalanced[1] == "assigned" else self.owned - moved
                self._changed.notify_all()

    def until(self, holds: Callable[[], bool], what: str) -> None:
        """Wait until a condition holds, checked after each line of this kcat."""
        with self._changed:
            held = self._changed.wait_for(holds, PATIENCE_S)
        assert held, f"{what}: never; {self.said}"

    def close(self) -> None:
        """Let it leave the group."""
        self.process.terminate()
        self.process.wait(PATIENCE_S)

    def end(self) -> None:
        """Kill it if it still runs."""
        self.process.kill()
        self.process.wait()
        self._reader.join()
        assert self.process.stderr is not None
        self.process.stderr.close()
