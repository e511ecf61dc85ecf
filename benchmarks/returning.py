"""Thousands of clients with TLS and SCRAM return at once: a node dies, and the launcher starts it
again.

Classic members with the session and the pace of stock clients, each with a connection of its own,
in a process of the lowest priority, since real ones have machines of their own. Beside them a good
client commits, one request after the other: first while all are at rest, then, after kill -9, from
its own return until all are back. What counts: that no member was evicted and nothing rebalanced,
and the good client's p99 while they return over its p99 when calm.

The users' passwords are hashed once for all of them, as each client does once for itself.
"""

import asyncio
import base64
import functools
import hashlib
import hmac
import multiprocessing
import os
import random
import secrets
import signal
import ssl
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import Any

from benchmarks.crowds import Good, Seen, p99
from benchmarks.options import Options
from benchmarks.wire import STOCK_SESSION_MS, Member, Peer, settle
from groups.core.errors import ErrorCode
from launcher import ports
from launcher.installation import CHECKOUT, Installation
from rollcall.wire.errors import WireError
from rollcall.wire.messages.heartbeat import HeartbeatRequest
from rollcall.wire.messages.sasl_authenticate import SaslAuthenticateRequest
from rollcall.wire.messages.sasl_handshake import SaslHandshakeRequest

TIMES = 3.0
"""The goal: p99 while they return over p99 when calm."""

GROUPS, GROUP_SIZE = 100, 50
USER, PASSWORD = "crowd", "a password of the benchmark"
MECHANISM, HASH = "SCRAM-SHA-512", "sha512"
BEAT_S = 3.0
CALL_S = 30.0
"""request.timeout.ms of stock clients."""

RETRY_S = 0.1
"""retry.backoff.ms of stock clients."""

RETRY_S_MAX = 1.0
"""reconnect.backoff.max.ms of Java's clients."""

LOWEST = 19
FORMING_AT_ONCE = 4
CALM_S, FORM_S, AFTER_S = 10.0, 300.0, 120.0
BROKEN = (OSError, asyncio.IncompleteReadError, TimeoutError, WireError, AssertionError)
STARTING = frozenset({ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE})


@dataclass(frozen=True, slots=True)
class Door:
    """Where and how to get in."""

    address: str
    ca: str

    async def connect(self) -> Peer:
        """A connection whose client has said who it is."""
        host, _, port = self.address.rpartition(":")
        opening = asyncio.open_connection(host, int(port), ssl=_context(self.ca))
        async with asyncio.timeout(CALL_S):
            peer = Peer(*await opening)
        try:
            async with asyncio.timeout(CALL_S):
                await _authenticate(peer)
        except BaseException:
            peer.close()
            raise
        return peer


@functools.cache
def _context(ca: str) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=ca)


@functools.cache
def _salted(salt: bytes, iterations: int) -> bytes:
    return hashlib.pbkdf2_hmac(HASH, PASSWORD.encode(), salt, iterations)


async def _authenticate(peer: Peer) -> None:
    """RFC 5802, without a check of the server's proof."""
    await peer.call(SaslHandshakeRequest(mechanism=MECHANISM), 1)
    bare = f"n={USER},r={secrets.token_hex(12)}"
    first = (await _exchange(peer, f"n,,{bare}")).decode()
    challenge = dict(part.partition("=")[::2] for part in first.split(","))
    salted = _salted(base64.b64decode(challenge["s"]), int(challenge["i"]))
    unproven = f"c=biws,r={challenge['r']}"
    key = hmac.digest(salted, b"Client Key", HASH)
    signed = f"{bare},{first},{unproven}".encode()
    signature = hmac.digest(hashlib.new(HASH, key).digest(), signed, HASH)
    proof = base64.b64encode(bytes(a ^ b for a, b in zip(key, signature, strict=True)))
    await _exchange(peer, f"{unproven},p={proof.decode()}")


async def _exchange(peer: Peer, message: str) -> bytes:
    answer = await peer.call(SaslAuthenticateRequest(auth_bytes=message.encode()), 2)
    if answer.error_code:
        raise ConnectionError(f"refused: {answer.error_message}")
    return bytes(answer.auth_bytes)


# -- the crowd, in a process of its own


@dataclass
class Crowd:
    """``good_at``: when each last got a good response, by the monotonic clock, which is the same in
    all processes."""

    door: Door
    members: list[Member] = field(default_factory=list)
    good_at: dict[str, float] = field(default_factory=dict)
    codes: Counter[int] = field(default_factory=Counter)

    async def form(self, groups: int, size: int) -> None:
        """Stable groups."""
        gate = asyncio.Semaphore(FORMING_AT_ONCE)

        async def one(number: int) -> None:
            async with gate:
                self.members += await formed(self.door, f"returning-{number}", size)

        async with asyncio.timeout(FORM_S), asyncio.TaskGroup() as tasks:
            for number in range(groups):
                tasks.create_task(one(number))

    async def live(self, member: Member) -> None:
        """Beat until cancelled; after a break reconnect, and beat at once."""
        await asyncio.sleep(random.random() * BEAT_S)
        while True:
            try:
                async with asyncio.timeout(CALL_S):
                    answer = await member.peer.call(beat_of(member), 3)
            except BROKEN:
                await self._return(member)
                continue
            self.codes[answer.error_code] += 1
            if answer.error_code == ErrorCode.NONE:
                self.good_at[member.member_id] = time.monotonic()
                await asyncio.sleep(BEAT_S)
            elif answer.error_code in STARTING:
                await asyncio.sleep(RETRY_S)
            else:
                return  # evicted, or told to rejoin: counted by its code

    async def _return(self, member: Member) -> None:
        member.peer.close()
        pause_s = RETRY_S
        while True:
            await asyncio.sleep(pause_s * (0.8 + 0.4 * random.random()))
            pause_s = min(2 * pause_s, RETRY_S_MAX)
            try:
                member.peer = await self.door.connect()
            except BROKEN:
                self.codes[-1] += 1
                continue
            return

    def back(self, instant: float) -> list[float]:
        """Seconds from the instant until the next good response of each that is back."""
        return sorted(at - instant for at in self.good_at.values() if at > instant)


async def formed(door: Door, group_id: str, size: int) -> list[Member]:
    """A stable group of so many members, whose connections this door opens."""
    members = [Member(await door.connect(), group_id, STOCK_SESSION_MS) for _ in range(size)]
    await settle(members)
    return members


def beat_of(member: Member) -> HeartbeatRequest:
    """A heartbeat of a member."""
    return HeartbeatRequest(
        group_id=member.group_id, generation_id=member.generation, member_id=member.member_id
    )


async def _crowd(door: Door, groups: int, size: int, told: Pipe) -> None:
    crowd = Crowd(door)
    await crowd.form(groups, size)
    async with asyncio.TaskGroup() as tasks:
        for member in crowd.members:
            tasks.create_task(crowd.live(member))
        while len(crowd.good_at) < len(crowd.members):  # noqa: ASYNC110  (a look is enough)
            await asyncio.sleep(0.1)
        told.send(None)
        while True:  # asked: since when
            instant = await asyncio.to_thread(told.recv)
            told.send((crowd.back(instant), crowd.codes))


def work(door: Door, groups: int, size: int, told: Pipe) -> None:
    """The process of the crowd, until it is ended."""
    import uvloop

    os.nice(LOWEST)  # within the session of the good client, which it leaves the processor to
    uvloop.run(_crowd(door, groups, size, told))


# -- measuring


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one run. ``back``: seconds from the node's end until each member's next good response."""

    members: int
    calm: Seen
    returning: Seen
    back: Sequence[float]
    good_back_s: float
    codes: Mapping[int, int]

    @property
    def lost(self) -> int:
        """The members without a good response."""
        return self.members - len(self.back)

    @property
    def is_right(self) -> bool:
        """No member was evicted, nothing rebalanced, and all came back."""
        wrong = set(self.codes) - {-1, ErrorCode.NONE, *STARTING}
        return not (self.lost or wrong or self.calm.wrong or self.returning.wrong)

    def tell(self) -> None:
        """Print them."""
        calm, back = p99(self.calm.beats), p99(self.returning.beats)
        last = self.back[-1] if self.back else float("nan")
        evicted = self.codes.get(ErrorCode.UNKNOWN_MEMBER_ID, 0)
        print(f"{self.members:,} members with TLS and SCRAM: all back after {last:.1f} s, not back"
              f" {self.lost}, evicted {evicted}, answers {dict(self.codes)}")  # fmt: skip
        longest = max(self.returning.beats, default=0.0)
        print(
            f"a good client: back after {self.good_back_s:.1f} s; p99 {back:.1f} ms of"
            f" {len(self.returning.beats)} then, longest {longest:.0f} ms; {calm:.1f} ms of"
            f" {len(self.calm.beats)} when calm: {back / calm:.1f} times (goal {TIMES:.0f})"
        )


async def _good(door: Door, member: Member, good: Good, back: asyncio.Event) -> None:
    """Beat until cancelled, over a new connection where one breaks; ``back`` is set then."""
    while True:
        try:
            await good.beat(member)
        except BROKEN:
            member.peer.close()
        while True:
            await asyncio.sleep(RETRY_S)
            try:
                peer = await door.connect()
                async with asyncio.timeout(CALL_S):
                    answer = await peer.call(beat_of(member), 3)
            except BROKEN:
                continue
            if answer.error_code == ErrorCode.NONE:
                member.peer = peer
                back.set()
                break
            peer.close()


async def measure(running: Installation, door: Door, groups: int, size: int) -> Figures:
    """Of a running installation with the user."""
    ours, theirs = multiprocessing.Pipe()
    spawned = multiprocessing.get_context("spawn")
    crowd = spawned.Process(target=work, args=(door, groups, size, theirs), daemon=True)
    crowd.start()
    try:
        async with asyncio.timeout(FORM_S + AFTER_S):
            await asyncio.to_thread(ours.recv)
        [member] = await formed(door, "good", 1)
        good, back = Good([member]), asyncio.Event()
        living = asyncio.create_task(_good(door, member, good, back))
        calm = await good.watched(CALM_S)
        died = time.monotonic()
        os.kill(running.node_pid(0), signal.SIGKILL)
        await back.wait()
        good_back_s, good.seen = time.monotonic() - died, Seen()
        returned, codes = await _returned(ours, died, groups * size)
        living.cancel()
        await asyncio.wait([living])
        member.peer.close()
        with suppress(OSError):
            await member.peer.writer.wait_closed()
        return Figures(groups * size, calm, good.seen, returned, good_back_s, codes)
    finally:
        crowd.kill()
        crowd.join()


async def _returned(crowd: Pipe, died: float, members: int) -> tuple[list[float], Counter[int]]:
    """Asked again until all are back."""
    while True:
        crowd.send(died)
        back, codes = await asyncio.to_thread(crowd.recv)
        if len(back) == members or time.monotonic() > died + AFTER_S:
            return back, codes
        await asyncio.sleep(0.1)


def settings(folder: Path) -> tuple[dict[str, str], Door]:
    """Those of an installation behind TLS and SCRAM, whose certificates are made."""
    import trustme  # a tool of development

    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    server = authority.issue_cert("127.0.0.1")
    server.private_key_and_cert_chain_pem.write_to_path(str(folder / "server.pem"))
    [port] = ports.free(1)
    found = {
        "ROLLCALL_LISTENERS": f"SASL_SSL://127.0.0.1:{port}",
        "ROLLCALL_SSL_KEYSTORE_LOCATION": str(folder / "server.pem"),
        "ROLLCALL_GROUP_INITIAL_REBALANCE_DELAY_MS": "1000",
    }
    return found, Door(f"127.0.0.1:{port}", str(folder / "ca.pem"))


def make_user(running: Installation) -> None:
    """By the command, as an operator does."""
    environ = {key: value for key, value in os.environ.items() if "ROLLCALL" not in key}
    own: dict[str, Any] = {"DJANGO_SETTINGS_MODULE": "coordinator_site.settings"}
    subprocess.run(
        [sys.executable, "manage.py", "scram_user", USER],
        cwd=CHECKOUT,
        env={**environ, **running.settings, **own, "ROLLCALL_DATA_DIR": str(running.data_dir)},
        input=f"{PASSWORD}\n",
        text=True,
        check=True,
    )


def main(options: Options) -> bool:
    """Print the figures; whether all members came back without losing anything."""
    import uvloop

    right = True
    for _ in range(options.rounds or 1):
        with tempfile.TemporaryDirectory() as folder:
            wanted, door = settings(Path(folder))
            with Installation(wanted) as running:
                make_user(running)
                figures = uvloop.run(measure(running, door, GROUPS, GROUP_SIZE))
        figures.tell()
        right &= figures.is_right
    return right
