"""Many small groups: one of three nodes dies that serves a third of 50,000, with five members each.

The groups are rows that SQL has written; their members beat over raw sockets, every one of them
within its session, a connection for each slot. kill -9 takes one node. What counts: how long until
every one of its groups answered a heartbeat without error, how long a survivor let a request wait
meanwhile, and that no member was evicted.
"""

import asyncio
import json
import multiprocessing
import os
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from multiprocessing.connection import Connection as Pipe

import psutil
import psycopg

from benchmarks.machine import coordinators
from benchmarks.options import Options
from benchmarks.wire import Peer, frame
from groups.core.errors import ErrorCode
from groups.core.rows import SLOTS, slot_of
from groups.core.subscription import pack_protocols
from groups.store.sql import group_rows
from launcher.data_dir import DataDir
from launcher.installation import Installation
from rollcall.wire.errors import WireError
from rollcall.wire.messages.api_versions import ApiVersionsRequest
from rollcall.wire.messages.find_coordinator import FindCoordinatorRequest
from rollcall.wire.messages.heartbeat import HeartbeatRequest

GOAL_S, STALL_GOAL_S = 10.0, 1.0
NODES, GROUPS, MEMBERS = 3, 50_000, 5
SESSION_MS = 120_000
PACE_S = 40.0
"""Every member beats once in so long: a third of its session, as stock clients do."""

WINDOW = 50
"""Heartbeats under way on one connection."""

REPLY_BYTES = 14
"""Of a Heartbeat's answer, v3: length, correlation id, throttle time, code."""

ROWS_AT_ONCE = 2_000
RETRY_S, PING_S, PING_S_MAX, SETTLED_S, AFTER_S = 0.1, 0.02, 30.0, 5.0, 60.0
BROKEN = (OSError, asyncio.IncompleteReadError, TimeoutError, WireError, AssertionError)
MOVED = {ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE}


def member_of(group_id: str, number: int) -> str:
    """A member's id."""
    return f"{group_id}-member-{number}"


def write(url: str, group_ids: Sequence[str]) -> None:
    """Stable groups as rows, and every slot free: a node that claims one reads them."""
    with psycopg.connect(url) as connection:
        for at in range(0, len(group_ids), ROWS_AT_ONCE):
            part = group_ids[at : at + ROWS_AT_ONCE]
            connection.execute(group_rows.PUT_GROUPS.encode(), dict(_groups(part)))
            connection.execute(group_rows.PUT_MEMBERS.encode(), dict(_members(part)))
        connection.execute(
            "UPDATE rollcall_slot SET node_id = NULL, incarnation = NULL, epoch = epoch + 1"
        )


def _groups(group_ids: Sequence[str]) -> Iterator[tuple[str, list[object]]]:
    yield "group_id", list(group_ids)
    yield "slot", [slot_of(group_id) for group_id in group_ids]
    yield "leader", [member_of(group_id, 0) for group_id in group_ids]
    alike = {
        "kind": "classic",
        "state": "Stable",
        "generation": 1,
        "protocol_type": "consumer",
        "protocol_name": "range",
        "details": json.dumps({"synced": True}),
    }
    for name, value in alike.items():
        yield name, [value] * len(group_ids)


def _members(group_ids: Sequence[str]) -> Iterator[tuple[str, list[object]]]:
    keys = [(group_id, number) for group_id in group_ids for number in range(MEMBERS)]
    yield "group_id", [group_id for group_id, _ in keys]
    yield "member_id", [member_of(*key) for key in keys]
    yield "position", [number for _, number in keys]
    alike = {
        "instance_id": None,
        "client_id": "bench",
        "client_host": "/127.0.0.1",
        "session_timeout_ms": SESSION_MS,
        "rebalance_timeout_ms": 60_000,
        "subscription": pack_protocols((("range", b"\0\1\0\0\0\1\0\6orders\xff\xff\xff\xff"),)),
        "assignment": b"\0\1\0\0\0\1\0\6orders\0\0\0\1\0\0\0\0\xff\xff\xff\xff",
        "details": "{}",
    }
    for name, value in alike.items():
        yield name, [value] * len(keys)


@dataclass
class Slot:
    """The groups of one slot, whose members beat over one connection."""

    group_ids: list[str]
    bootstraps: Sequence[str]
    codes: Counter[int] = field(default_factory=Counter)
    good_at: dict[str, float] = field(default_factory=dict)
    owner: str = ""
    is_hurried: bool = True

    async def live(self) -> None:
        """Beat for all members until cancelled; after a break one of each group first, at once."""
        while True:
            try:
                peer = await Peer.connect(await self._find())
            except BROKEN:
                await asyncio.sleep(RETRY_S)
                continue
            try:
                await self._beat(peer)
            except BROKEN:
                self.is_hurried = True
                await asyncio.sleep(RETRY_S)
            finally:
                peer.close()

    async def _find(self) -> str:
        for bootstrap in self.bootstraps:
            try:
                peer = await Peer.connect(bootstrap)
            except OSError:
                continue
            try:
                request = FindCoordinatorRequest(key=self.group_ids[0], key_type=0)
                async with asyncio.timeout(10):
                    reply = await peer.call(request, 2)
            finally:
                peer.close()
            if not reply.error_code:
                self.owner = f"{reply.host}:{reply.port}"
                return self.owner
        raise TimeoutError("nobody knows")

    async def _beat(self, peer: Peer) -> None:
        while True:
            began = time.monotonic()
            numbers = (0,) if self.is_hurried else range(MEMBERS)
            every_s = 0.0 if self.is_hurried else PACE_S * WINDOW / MEMBERS / len(self.group_ids)
            keys = [(group_id, number) for number in numbers for group_id in self.group_ids]
            for part, at in enumerate(range(0, len(keys), WINDOW)):
                await asyncio.sleep(began + part * every_s - time.monotonic())
                await self._window(peer, keys[at : at + WINDOW])
            self.is_hurried = False

    async def _window(self, peer: Peer, keys: Sequence[tuple[str, int]]) -> None:
        for group_id, number in keys:
            request = HeartbeatRequest(
                group_id=group_id, generation_id=1, member_id=member_of(group_id, number)
            )
            peer.writer.write(frame(request, 3, 7))
        moved = False
        for group_id, _ in keys:
            async with asyncio.timeout(30):  # wait_for may lose a cancellation (bpo-37658)
                raw = await peer.reader.readexactly(REPLY_BYTES)
            code = int.from_bytes(raw[-2:], "big")
            self.codes[code] += 1
            moved |= code in MOVED
            if code == ErrorCode.NONE:
                self.good_at[group_id] = time.monotonic()
        if moved:
            raise TimeoutError("served elsewhere, or not yet")


def ping(address: str, told: Pipe) -> None:
    """In a process of its own: how long the node lets the smallest request wait, at the most."""
    import socket

    host, _, port = address.rpartition(":")
    asked = frame(ApiVersionsRequest(client_software_name="p", client_software_version="1"), 3, 1)
    longest = 0.0
    with suppress(OSError, EOFError), socket.create_connection((host, int(port))) as connection:
        while True:
            began = time.monotonic()
            connection.sendall(asked)
            size = int.from_bytes(connection.recv(4, socket.MSG_WAITALL), "big")
            connection.recv(size, socket.MSG_WAITALL)
            longest = max(longest, time.monotonic() - began)
            if told.poll(PING_S):
                told.recv()
                told.send(longest)
                longest = 0.0


@dataclass
class Pings:
    """One such process for each node."""

    pipes: dict[str, Pipe] = field(default_factory=dict)

    def start(self, addresses: Sequence[str]) -> None:
        """Begin to ask."""
        for address in addresses:
            ours, theirs = multiprocessing.Pipe()
            multiprocessing.get_context("spawn").Process(
                target=ping, args=(address, theirs), daemon=True
            ).start()
            self.pipes[address] = ours

    def longest(self, addresses: Sequence[str]) -> dict[str, float]:
        """The longest wait at each since this was asked last."""
        for address in addresses:
            self.pipes[address].send(None)
        return {address: self._received(self.pipes[address]) for address in addresses}

    @staticmethod
    def _received(pipe: Pipe) -> float:
        return float(pipe.recv()) if pipe.poll(PING_S_MAX) else inf


async def _measure(running: Installation, groups: int) -> bool:
    url = DataDir(running.data_dir).url_file.read_text().strip()
    group_ids = [f"many-{number}" for number in range(groups)]
    began = time.monotonic()
    await asyncio.to_thread(write, url, group_ids)
    written = time.monotonic()
    nodes = _nodes(url)
    by_slot = defaultdict[int, list[str]](list)
    for group_id in group_ids:
        by_slot[slot_of(group_id)].append(group_id)
    slots = [Slot(by_slot[slot], list(nodes)) for slot in range(SLOTS) if by_slot[slot]]
    pings = Pings()
    pings.start(list(nodes))
    async with asyncio.TaskGroup() as tasks:
        lives = [tasks.create_task(slot.live()) for slot in slots]
        first = await _served(slots, written)
        print(f"{groups:,} groups of {MEMBERS}: written in {written - began:.0f} s, all served"
              f" {first[-1]:.1f} s after their nodes lost them")  # fmt: skip
        await asyncio.sleep(SETTLED_S)
        idle = pings.longest(list(nodes))
        for slot in slots:
            slot.codes.clear()
        dead = slots[0].owner
        moved = [slot for slot in slots if slot.owner == dead]
        survivors = [address for address in nodes if address != dead]
        os.kill(_pid(running, dead), signal.SIGKILL)
        back = await _served(moved, time.monotonic())
        waited = pings.longest(survivors)
        await asyncio.sleep(SETTLED_S)
        later = pings.longest(survivors)
        for life in lives:
            life.cancel()
    lost = sum(len(slot.group_ids) for slot in moved) - len(back)
    codes = sum((slot.codes for slot in slots), Counter[int]())
    evicted = codes[ErrorCode.UNKNOWN_MEMBER_ID] + codes[ErrorCode.ILLEGAL_GENERATION]
    worst = max(waited.values())
    print(f"{len(back):,} groups of the node that died: median {back[len(back) // 2]:.1f} s, all"
          f" served after {back[-1]:.1f} s (goal {GOAL_S:.0f} s), {lost} not")  # fmt: skip
    print(f"longest wait at a survivor: {max(idle.values()):.2f} s before, {worst:.2f} s meanwhile"
          f" (goal {STALL_GOAL_S:.0f} s), {max(later.values()):.2f} s after")  # fmt: skip
    print(f"evicted {evicted}, members in rows {_members_left(url):,} of {groups * MEMBERS:,}")
    return not (lost or evicted or _members_left(url) < groups * MEMBERS)


async def _served(slots: Sequence[Slot], since: float) -> list[float]:
    """Seconds from the instant until each group's next good response."""
    while time.monotonic() < since + AFTER_S:
        await asyncio.sleep(0.05)
        if all(s.good_at.get(g, 0.0) > since for s in slots for g in s.group_ids):
            break
    good = (slot.good_at.get(g, 0.0) - since for slot in slots for g in slot.group_ids)
    return sorted(after for after in good if after > 0)


def _nodes(url: str) -> dict[str, int]:
    with psycopg.connect(url) as connection:
        rows = connection.execute("SELECT host, port, node_id FROM rollcall_node").fetchall()
    return {f"{host}:{port}": node_id for host, port, node_id in rows}


def _members_left(url: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT count(*) FROM rollcall_member").fetchone()
    return int(row[0]) if row else 0


def _pid(running: Installation, address: str) -> int:
    port = address.rpartition(":")[2]
    for pid in coordinators(running.pids()):
        if f"--port={port}" in psutil.Process(pid).cmdline():
            return pid
    raise RuntimeError(f"no node listens on {port}")


def main(options: Options) -> bool:
    """Print the figures; whether every group came back without losing anything."""
    import uvloop

    right = True
    for _ in range(options.rounds or 1):
        with Installation({"ROLLCALL_NODES": str(NODES)}) as running:
            right &= uvloop.run(_measure(running, int(os.environ.get("BENCH_GROUPS", GROUPS))))
    return right
