"""How long an installation takes to serve, fresh and again, a node after kill -9, and its memory.

With ``--kafka PROGRAM`` an Apache Kafka is started beside it, round by round: the same moments,
the same members. A start is measured to the moment in which the Kafka port answers, on both sides,
and Rollcall's also to ``ready``: then its web, worker and beat serve, too. CPU is that of all
processes up to the later moment, and tells more than the seconds do on a machine that does much
else.
"""

import os
import shutil
import signal
import socket
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.idle import GROUP_SIZE, GROUPS, beating
from benchmarks.machine import cpu_seconds, proportional_mib
from benchmarks.options import Options
from launcher import ports
from launcher.installation import Installation

NODE_GOAL_S = 1.5
"""From kill -9 of a node to its first answer."""

ROUNDS = 3
SETTLE_S = 5.0
"""Of beating, before memory is looked at."""

ANSWER_S = 1.0
START_S_MAX = 120.0
LOOK_AGAIN_S = 0.01

API_VERSIONS = b"\x00\x12\x00\x00" + b"\x00\x00\x00\x07" + b"\xff\xff"
FIND_COORDINATOR = b"\x00\x0a\x00\x00" + b"\x00\x00\x00\x07" + b"\xff\xff" + b"\x00\x01g"


@dataclass(frozen=True, slots=True)
class Started:
    """One start: until the Kafka port served, until all of it did, and the CPU it took."""

    port_s: float
    ready_s: float
    cpu_s: float


@dataclass(frozen=True, slots=True)
class Round:
    """Fresh, again on the same data, and what it holds with members; ``node_s``: after kill -9."""

    fresh: Started
    again: Started
    mib: float
    node_s: float = 0.0


def answer(address: str, request: bytes) -> bytes:
    """What the port says to one request; nothing where it says nothing."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host, int(port)), ANSWER_S) as peer:
            peer.settimeout(ANSWER_S)
            peer.sendall(len(request).to_bytes(4, "big") + request)
            return peer.makefile("rb").read(10)[4:]
    except OSError:
        return b""


def until(claim: Callable[[], bool]) -> None:
    """Look again until it is so."""
    deadline = time.monotonic() + START_S_MAX
    while not claim():
        if time.monotonic() > deadline:
            raise RuntimeError(f"nothing served in {START_S_MAX:g} s")
        time.sleep(LOOK_AGAIN_S)


def with_members(bootstrap: str, pids: Callable[[], list[int]]) -> float:
    """Memory while so many members beat."""
    members = beating(bootstrap, GROUPS, GROUP_SIZE)
    time.sleep(SETTLE_S)
    mib = proportional_mib(pids())
    members.communicate(timeout=30)
    return mib


# -- Rollcall


def ours() -> Round:
    """One round."""
    installation = Installation()
    begun = time.time()
    with installation:
        fresh = started(installation, begun)
        mib = with_members(installation.kafka, installation.pids)
        node_s = killed(installation)
        installation.stop()
        begun = time.time()
        installation.start()
        again = started(installation, begun)
    return Round(fresh, again, mib, node_s)


def started(installation: Installation, begun: float) -> Started:
    """It serves, since now; ``begun`` is a time of the wall clock, as those of files are. A node
    writes its ready file when its ports take connections."""
    ready_s = time.time() - begun
    served = (installation.data_dir / "run" / "node-0.ready").stat().st_mtime
    return Started(served - begun, ready_s, cpu_seconds(installation.pids()))


def killed(installation: Installation) -> float:
    """Kill the node; seconds until another one answers in its place for a group."""
    begun = time.monotonic()
    os.kill(installation.node_pid(0), signal.SIGKILL)
    until(lambda: answer(installation.kafka, FIND_COORDINATOR)[4:] == b"\0\0")
    return time.monotonic() - begun


# -- Apache Kafka


def theirs(program: str) -> Round:
    """One round of what the program starts."""
    folder = Path(tempfile.mkdtemp(prefix="kafka-"))
    [port] = ports.free(1)
    try:
        with kafka(program, port, folder) as (fresh, pids):
            until(lambda: answer(f"127.0.0.1:{port}", FIND_COORDINATOR)[4:] == b"\0\0")
            mib = with_members(f"127.0.0.1:{port}", pids)
        with kafka(program, port, folder) as (again, _):
            return Round(fresh, again, mib)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def kafka(
    program: str, port: int, folder: Path
) -> Iterator[tuple[Started, Callable[[], list[int]]]]:
    """A Kafka that serves; ended with the block."""
    begun = time.monotonic()
    process = subprocess.Popen(
        [program, str(port)],
        env={**os.environ, "KAFKA_DATA": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def serves() -> bool:
        if process.poll() is not None:
            raise RuntimeError(f"{program} ended with {process.returncode}")
        return answer(f"127.0.0.1:{port}", API_VERSIONS)[4:] == b"\0\0"

    try:
        until(serves)
        pids = [process.pid]
        served_s = time.monotonic() - begun
        yield Started(served_s, served_s, cpu_seconds(pids)), lambda: pids
    finally:
        process.terminate()
        process.wait()


def main(options: Options) -> bool:
    """Print the figures; whatever is wrong raises."""
    rounds: dict[str, list[Round]] = {"Rollcall": []}
    for _ in range(options.rounds or ROUNDS):
        rounds["Rollcall"].append(ours())
        if options.kafka is not None:
            rounds.setdefault("Kafka", []).append(theirs(options.kafka))
    for name, found in rounds.items():
        print(f"{name:9} {summary(found)}", flush=True)
    return True


def summary(found: list[Round]) -> str:
    """Medians, and all of the seconds behind them."""
    parts = [
        "fresh " + starts([r.fresh for r in found]),
        "again " + starts([r.again for r in found]),
        f"{spread([r.mib for r in found], 0)} MiB with {GROUPS * GROUP_SIZE} members",
    ]
    if any(r.node_s for r in found):
        parts.append(
            f"a node after kill -9 {spread([r.node_s for r in found])} s (goal {NODE_GOAL_S})"
        )
    return "; ".join(parts)


def starts(found: list[Started]) -> str:
    """The seconds until the port served, until all of it did, and of CPU."""
    return (
        f"{spread([s.port_s for s in found])} s, all of it {spread([s.ready_s for s in found])} s"
        f" (CPU {spread([s.cpu_s for s in found])} s)"
    )


def spread(values: list[float], digits: int = 1) -> str:
    """The median, and from where to where."""
    least, most = min(values), max(values)
    return f"{statistics.median(values):.{digits}f} ({least:.{digits}f} to {most:.{digits}f})"
