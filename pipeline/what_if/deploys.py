"""Deploys: clients that were restarted about at the same time, and the same with another number of
them at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from pipeline.what_if.clients import Client, Run, Stop
from pipeline.what_if.recording import Millis

BACK_MS: Final = 600_000
"""A client that is away for longer was not restarted by a deploy."""

APART_MS: Final = 120_000
"""Restarts that follow each other within so much belong to one deploy."""

CLIENTS_MIN: Final = 2


@dataclass(frozen=True, slots=True)
class Restart:
    """A process of a client ended, and the next one started."""

    client: str
    number: int
    end: Millis
    start: Millis


def deploys(clients: Sequence[Client]) -> Iterator[Sequence[Restart]]:
    """The deploys, each with its restarts in order."""
    restarts = sorted(_restarts(clients), key=lambda one: (one.end, one.client))
    current: list[Restart] = []
    for restart in restarts:
        if current and restart.end - current[-1].end > APART_MS:
            yield from _if_deploy(current)
            current = []
        current.append(restart)
    yield from _if_deploy(current)


def _restarts(clients: Sequence[Client]) -> Iterator[Restart]:
    for client in clients:
        for number, (run, after) in enumerate(pairwise(client.runs)):
            stops = run.stop in (Stop.LEAVES, Stop.PAUSES)
            if stops and after.start - run.end <= BACK_MS:
                yield Restart(client.name, number, run.end, after.start)


def _if_deploy(restarts: Sequence[Restart]) -> Iterator[Sequence[Restart]]:
    if len({one.client for one in restarts}) >= CLIENTS_MIN:
        yield restarts


def replanned(clients: Sequence[Client], at_once: int) -> list[Client]:
    """The same clients, with so many restarts of a deploy at once: the next ones stop when those
    before are back. Each is away for as long as it was."""
    runs = {client.name: list(client.runs) for client in clients}
    for deploy in deploys(clients):
        at = deploy[0].end
        for first in range(0, len(deploy), at_once):
            batch = deploy[first : first + at_once]
            at = max((_moved(runs[one.client], one, at) for one in batch), default=at)
    return [replace(client, runs=tuple(runs[client.name])) for client in clients]


def _moved(runs: list[Run], restart: Restart, end: Millis) -> Millis:
    """Move a restart; returns when the client is back. One that would not fit between its
    neighbours stays where it was."""
    before, after = runs[restart.number], runs[restart.number + 1]
    start = end + restart.start - restart.end
    if not (before.start < end and start < after.end):
        return restart.start
    runs[restart.number] = replace(before, end=end)
    runs[restart.number + 1] = replace(after, start=start)
    return start
