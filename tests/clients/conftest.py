"""Workers as processes that tell what they own, of any client."""

import asyncio
import json
import os
import signal
import subprocess
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self

import pytest
from _pytest.mark import ParameterSet

from benchmarks.wire import create_topic
from launcher.installation import CHECKOUT
from tests.clients.programs import WORKERS, Program

PATIENCE_S = 80
"""Longer than any step takes, on a machine that does much else."""

SESSION_MS = 6_000
"""The shortest session that a node allows by default: a dead worker is missed soon."""


def each(
    programs: Mapping[str, Program], names: Iterable[str] | None = None, *, quick: str
) -> list[ParameterSet]:
    """A parameter for each of them, or for those named. One of Python's, ``quick``, stands for all
    in ``make test``; the same story with another library is long."""
    assert programs[quick].language == "python"
    return [
        pytest.param(name, marks=() if name == quick else pytest.mark.long)
        for name in names or programs
    ]


class Worker:
    """A stock consumer in a process of its own."""

    def __init__(self, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(
            command,
            cwd=CHECKOUT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.owned: set[int] = set()
        self.events: list[dict[str, Any]] = []
        self.errors = ""
        self._changed = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._drain, daemon=True).start()

    @classmethod
    def of(
        cls, library: str, bootstrap: str, name: str, session_ms: int, *settings: str
    ) -> "Worker":
        """One of the table of workers, with this group and session timeout."""
        return cls(WORKERS[library].command(bootstrap, name, str(session_ms), *settings))

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            event = json.loads(line)
            with self._changed:
                self.events.append(event)
                if event["event"] == "assigned":
                    self.owned = set(event["partitions"])
                elif event["event"] == "revoked":
                    self.owned -= set(event["partitions"])
                self._changed.notify_all()

    def _drain(self) -> None:
        assert self.process.stderr is not None
        self.errors = self.process.stderr.read()

    def until(self, holds: Callable[[], bool], what: str, patience: float = PATIENCE_S) -> None:
        """Wait until a condition holds, checked after each event of this worker."""
        end = time.monotonic() + patience
        with self._changed:
            while not holds():
                left = end - time.monotonic()
                assert left > 0, f"{what}: never; {self.events} {self.errors}"
                self._changed.wait(min(left, 0.2))

    def commit(self, offset: int) -> dict[str, int]:
        """Commit an offset for everything it owns; returns what is committed then."""
        seen = len(self.events)
        assert self.process.stdin is not None
        self.process.stdin.write(f"{offset}\n")
        self.process.stdin.flush()
        self.until(lambda: bool(self._committed(seen)), "committed")
        return self._committed(seen)[0]

    def attempt(self, offset: int) -> dict[str, int] | None:
        """The same while the group is on the move: None where the commit was refused."""
        seen = len(self.events)
        assert self.process.stdin is not None
        self.process.stdin.write(f"{offset}\n")
        self.process.stdin.flush()
        said = ("committed", "refused")
        self.until(lambda: any(e["event"] in said for e in self.events[seen:]), "answered")
        return next(iter(self._committed(seen)), None)

    def _committed(self, since: int) -> list[dict[str, int]]:
        return [e["offsets"] for e in self.events[since:] if e["event"] == "committed"]

    def kill(self) -> None:
        """End it without a word."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def close(self) -> None:
        """Let it leave the group."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE_S)

    def close_pipes(self) -> None:
        """After it has ended, and its last event was read."""
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()

    def end(self) -> None:
        """Kill it if it still runs."""
        if self.process.poll() is None:
            self.kill()
        self.close_pipes()


@contextmanager
def stock_consumer(bootstrap: str, name: str, partitions: int = 6) -> Iterator[Worker]:
    """One with all partitions of a new topic; its group has the topic's name."""
    asyncio.run(create_topic(bootstrap, name, partitions))
    worker = Worker.of("confluent-kafka", bootstrap, name, SESSION_MS)
    worker.until(lambda: len(worker.owned) == partitions, "all partitions")
    yield worker
    worker.close()
    worker.close_pipes()


class Shell:
    """A program that answers each line of words with a line of JSON."""

    def __init__(self, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(
            command, cwd=CHECKOUT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, line: str) -> dict[str, Any]:
        """Send a line; returns what it answers."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, f"ended at {line!r}"
        found: dict[str, Any] = json.loads(answer)
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()


Start = Callable[..., Worker]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts workers, and ends them with the test."""
    workers: list[Worker] = []

    def begin(
        library: str, bootstrap: str, name: str, session_ms: int = SESSION_MS, *settings: str
    ) -> Worker:
        workers.append(Worker.of(library, bootstrap, name, session_ms, *settings))
        return workers[-1]

    yield begin
    for worker in workers:
        worker.end()


@pytest.fixture
def name() -> str:
    """A name that nothing else has."""
    return f"n-{os.getpid()}-{uuid.uuid4().hex[:8]}"


async def topic(bootstrap: str, name: str, partitions: int = 6) -> str:
    """Create a topic."""
    await create_topic(bootstrap, name, partitions)
    return name
