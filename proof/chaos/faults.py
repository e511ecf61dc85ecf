"""The table of faults: what each does to real processes, and how it is undone.

A fault is injected, lasts for its time, and is undone before the next one; ``audit`` judges the
results, not this file. ``members_suffer``: members may lose their sessions by it.
"""

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from random import Random

import psutil
import psycopg

from groups.core.rows import slot_of
from proof.chaos import administrators, odd_requests, promotion
from proof.chaos.fault_library import Trouble
from proof.chaos.fleet import Fleet
from proof.chaos.processes import GONE, send, stopped
from proof.chaos.proxy import Proxy
from proof.chaos.record import now
from proof.chaos.world import World

LEASE_S = 3.0
SHORT_S = 0.8
HOUR_S = 3600
HANGS_S = 8.0
"""Longer than ``offsets.commit.timeout.ms``, after which a node closes a connection."""

REACH_S = 4.0
"""How long to wait for a node to reach a fail point: members commit every second or so."""

END_BACKENDS = """
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
"""
DRAIN = """SELECT rollcall_{}_node(%s, 'chaos', '{{"user": "chaos"}}')"""
OWNED = "SELECT FROM rollcall_slot WHERE node_id = %s LIMIT 1"
DRAINED_S = 6.0
"""How long to wait until a drained node has released its slots: eight in each check."""

BACKENDS = "SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'rollcall node%'"


@dataclass(frozen=True, slots=True)
class Scene:
    """What a fault may use."""

    world: World
    fleet: Fleet
    rng: Random

    def a_node(self) -> int:
        """The id of a random node."""
        return self.rng.choice(sorted(self.world.ports))


Inject = Callable[[Scene], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Fault:
    """One row. ``kills``: a node dies by it, so that its recovery is measured."""

    name: str
    meaning: str
    inject: Inject
    kills: bool = False
    keeps_slots: bool = False
    """No slot may move by it, if it is the only fault at the time."""
    is_alone: bool = False
    """Never combined with another fault: the account of lost writes covers this one only."""
    needs_library: bool = False
    """Only possible if ``fault_library`` has its library."""

    def is_possible(self, world: World) -> bool:
        """Whether this machine supports it."""
        return world.server.is_possible or not self.needs_library


async def kill_node(scene: Scene) -> None:
    """As a crash of the process, or the OOM killer."""
    send(scene.world.node(scene.a_node()), signal.SIGKILL)


async def stop_node(scene: Scene) -> None:
    """SIGTERM: a restart for an upgrade."""
    send(scene.world.node(scene.a_node()), signal.SIGTERM)


async def pause_past_the_lease(scene: Scene) -> None:
    """A zombie: others take over while it is stopped."""
    await stand_still(scene.world.node(scene.a_node()), scene.rng.uniform(1.2, 2.5) * LEASE_S)


async def pause_shortly(scene: Scene) -> None:
    """A long garbage collection, a slow disk: shorter than the lease."""
    await stand_still(scene.world.node(scene.a_node()), SHORT_S)


async def kill_postgres(scene: Scene) -> None:
    """kill -9 of the postmaster and of every backend: recovery from the log."""
    postmaster = scene.world.postmaster()
    if postmaster is None:
        return
    with suppress(*GONE):
        for process in (postmaster, *postmaster.children()):
            send(process, signal.SIGKILL)


async def restart_postgres(scene: Scene) -> None:
    """A fast restart: connections end, a checkpoint is written."""
    send(scene.world.postmaster(), signal.SIGINT)


async def end_backends(scene: Scene) -> None:
    """Every connection to the database ends, several times in a row."""
    for _ in range(3):
        with suppress(psycopg.Error, OSError):
            await scene.world.rows(END_BACKENDS)
        await asyncio.sleep(0.3)


async def stop_a_backend(scene: Scene) -> None:
    """One backend of a node is stopped, with the locks that it holds."""
    with suppress(psycopg.Error, OSError, *GONE):
        found = await scene.world.rows(BACKENDS)
        if found:
            (pid,) = scene.rng.choice(found)
            await stand_still(psutil.Process(pid), 2 * SHORT_S)


async def hang_a_backend(scene: Scene) -> None:
    """One backend of a node is stopped for longer than the node waits for any response."""
    with suppress(psycopg.Error, OSError, *GONE):
        found = await scene.world.rows(BACKENDS)
        if found:
            (pid,) = scene.rng.choice(found)
            await stand_still(psutil.Process(pid), HANGS_S)


async def stop_postgres(scene: Scene) -> None:
    """The whole server is stopped for a moment."""
    postmaster = scene.world.postmaster()
    if postmaster is not None:
        with suppress(*GONE):
            everybody = [postmaster, *postmaster.children()]
            await asyncio.gather(*(stand_still(one, 2 * SHORT_S) for one in everybody))


@asynccontextmanager
async def read_only(world: World) -> AsyncIterator[None]:
    """default_transaction_read_only, as an administrator or a full disk's guard would set it."""
    await world.rows("ALTER SYSTEM SET default_transaction_read_only = on")
    await world.rows("SELECT pg_reload_conf()")
    try:
        yield
    finally:
        async with await world.postgres.connect_patiently() as connection:
            await connection.execute("SET default_transaction_read_only = off")
            await connection.execute("ALTER SYSTEM RESET default_transaction_read_only")
            await connection.execute("SELECT pg_reload_conf()")


async def promote_asynchronous(scene: Scene) -> None:
    """A replica that lacks the last second takes over."""
    await promotion.promote(scene.world, synchronous=False)


async def promote_synchronous(scene: Scene) -> None:
    """A replica takes over after every commit has waited for it."""
    await promotion.promote(scene.world, synchronous=True)


async def refuse_writes(scene: Scene) -> None:
    """The database is read-only for a while."""
    with suppress(psycopg.Error, OSError):
        async with read_only(scene.world):
            await asyncio.sleep(LEASE_S)


async def fill_the_disk(scene: Scene) -> None:
    """No write of the server to its files succeeds: it panics, and does not start until writes
    succeed again."""
    scene.world.server.fill(full=True)
    try:
        await asyncio.sleep(2 * SHORT_S)
    finally:
        scene.world.server.fill(full=False)


async def jump_nodes_clock(scene: Scene) -> None:
    """The wall clock of all nodes, of web, worker and beat is an hour off for a moment."""
    await _jump(scene, scene.world.clock)


async def jump_servers_clock(scene: Scene) -> None:
    """PostgreSQL's wall clock is an hour off for a moment."""
    await _jump(scene, scene.world.server)


async def _jump(scene: Scene, whose: Trouble) -> None:
    whose.jump(scene.rng.choice([-HOUR_S, HOUR_S]))
    try:
        await asyncio.sleep(1.3 * LEASE_S)
    finally:
        whose.jump(0)


async def cut_clients(scene: Scene) -> None:
    """Every connection of the members to a node is reset."""
    scene.world.proxies[scene.a_node()].cut()


async def slow_clients(scene: Scene) -> None:
    """Every chunk between members and a node is delayed."""
    proxy = scene.world.proxies[scene.a_node()]
    with _weather(proxy, "delay_s", scene.rng.uniform(0.05, 0.3)):
        await asyncio.sleep(2 * SHORT_S)


async def swallow_replies(scene: Scene) -> None:
    """Requests arrive at a node, but its responses do not: then the connections break."""
    await _one_way(scene.world.proxies[scene.a_node()], "down")


async def swallow_requests(scene: Scene) -> None:
    """Half-open connections: the members' requests do not arrive, and then the connections
    break."""
    await _one_way(scene.world.proxies[scene.a_node()], "up")


async def double_frames(scene: Scene) -> None:
    """Requests of members arrive twice."""
    for proxy in scene.world.proxies.values():
        proxy.weather.doubles = 20
    await asyncio.sleep(2 * SHORT_S)
    for proxy in scene.world.proxies.values():
        proxy.weather.doubles = 0


async def cut_a_node_off(scene: Scene) -> None:
    """A node's connections to the database are reset, and new ones refused past its lease."""
    await cut_off(scene, scene.a_node())


async def cut_off(scene: Scene, node_id: int) -> None:
    """The same for this node."""
    # Searched once: it takes going through all processes of the machine.
    proxy, node = _database(scene), scene.world.node(node_id)
    with _weather(proxy, "turns_away", lambda port: port in _ports_of(node)):
        ports = _ports_of(node)
        proxy.cut(lambda link: link.peer_port in ports)
        await asyncio.sleep(1.3 * LEASE_S)


async def cut_the_database(scene: Scene) -> None:
    """Every connection between the nodes and the database is reset, and refused for a second."""
    proxy = _database(scene)
    with _weather(proxy, "turns_away", lambda _port: True):
        proxy.cut()
        await asyncio.sleep(1.0)


async def slow_database(scene: Scene) -> None:
    """The connection to the database is slow: every chunk is 50 to 200 ms late."""
    with _weather(_database(scene), "delay_s", scene.rng.uniform(0.05, 0.2)):
        await asyncio.sleep(2 * SHORT_S)


async def lose_commits_answers(scene: Scene) -> None:
    """The nodes' statements reach the database, but its responses are lost: outcomes of commits are
    unknown."""
    await _one_way(_database(scene), "down")


def at_point(point: str, act: str) -> Inject:
    """A node crashes or stops at a fail point, in the middle of a write."""

    async def inject(scene: Scene) -> None:
        node_id = scene.a_node()
        node = scene.world.node(node_id)
        file = scene.world.arm(node_id, point, act)
        if act == "stop" and node is not None:
            if await stopped(node, REACH_S):
                await asyncio.sleep(1.4 * LEASE_S)
                send(node, signal.SIGCONT)
        else:
            await asyncio.sleep(REACH_S / 2)
        file.unlink(missing_ok=True)

    return inject


async def pause_a_member(scene: Scene) -> None:
    """A member is paused past its session, and commits first when it resumes."""
    member = scene.rng.choice(scene.fleet.members)
    asleep_s = member.session_s + 1.0
    begun_ms = now() * 1000
    until_ms = begun_ms + (asleep_s + REACH_S) * 1000  # and then it has to find its coordinator
    scene.fleet.record.note("fault", process=member.name, since=begun_ms, until=until_ms)
    member.pause()
    await asyncio.sleep(asleep_s)
    member.resume()


async def send_odd_values(scene: Scene) -> None:
    """Requests with values that cannot be stored, and at limits, to the coordinators of some
    groups."""
    for group_id in scene.rng.sample(sorted(scene.fleet.groups), 2):
        for defect in await odd_requests.send(scene.fleet.network, group_id):
            scene.fleet.record.defects.append(defect)


async def force_a_rebalance(scene: Scene) -> None:
    """An operator forces a rebalance of some group, by a row, without the admin."""
    group_id = scene.rng.choice(sorted(scene.fleet.groups))
    with suppress(psycopg.Error, OSError):
        await scene.world.rows(
            "INSERT INTO rollcall_operation"
            " (slot, group_id, verb, member_id, reason, actor, state, detail, created_at)"
            " VALUES (%s, %s, 'rebalance', '', 'chaos', 'chaos', 'pending', '', now())",
            slot_of(group_id),
            group_id,
        )


async def drain_node(scene: Scene) -> None:
    """An operator drains a node, and ends the drain once its slots have moved, or cannot."""
    await drain(scene, scene.a_node())


async def drain(scene: Scene, node_id: int) -> None:
    """The same for this node."""
    try:
        with suppress(psycopg.Error, OSError):
            await scene.world.rows(DRAIN.format("drain"), node_id)
        deadline = now() + DRAINED_S
        while now() < deadline and await _owns_slots(scene, node_id):
            await asyncio.sleep(SHORT_S / 4)
    finally:
        async with await scene.world.postgres.connect_patiently() as connection:
            await connection.execute(DRAIN.format("undrain").encode(), [node_id])


async def _owns_slots(scene: Scene, node_id: int) -> bool:
    with suppress(psycopg.Error, OSError):
        return bool(await scene.world.rows(OWNED, node_id))
    return True


def administered(act: Callable[[World, Random], Awaitable[None]]) -> Inject:
    """What an administrator of PostgreSQL does."""

    async def inject(scene: Scene) -> None:
        await act(scene.world, scene.rng)

    return inject


async def two_operators(scene: Scene) -> None:
    """Operators who do not know of each other ask for much at once."""
    await administrators.request_much(scene.world, list(scene.fleet.groups), scene.rng)


async def drain_member(scene: Scene) -> None:
    """An operator drains a member of a consumer group, and ends the drain."""
    groups = [group_id for group_id, kind in scene.fleet.groups.items() if kind == "consumer"]
    member = scene.rng.choice(scene.fleet.of(scene.rng.choice(groups)))
    await administrators.drain_a_member(scene.world, member)


async def kill_celery(scene: Scene) -> None:
    """The worker dies with its beat: no session depends on them."""
    send(scene.world.worker(), signal.SIGKILL)


FAULTS: Sequence[Fault] = (
    Fault("kill-node", "kill -9 of a node", kill_node, kills=True),
    Fault("term-node", "SIGTERM to a node", stop_node),
    Fault("pause-node", "SIGSTOP of a node past its lease, SIGCONT", pause_past_the_lease),
    Fault("blink-node", "SIGSTOP of a node, shorter than its lease", pause_shortly),
    Fault(
        "kill-postgres",
        "kill -9 of the postmaster and its backends",
        kill_postgres,
        keeps_slots=True,
    ),
    Fault("restart-postgres", "fast restart of PostgreSQL", restart_postgres, keeps_slots=True),
    Fault(
        "end-backends", "pg_terminate_backend of all, three times", end_backends, keeps_slots=True
    ),
    Fault("read-only", "PostgreSQL read-only for a lease", refuse_writes, keeps_slots=True),
    Fault("disk-full", "no write of PostgreSQL succeeds", fill_the_disk, needs_library=True),
    Fault(
        "nodes-clock",
        "the wall clock of the nodes an hour off",
        jump_nodes_clock,
        keeps_slots=True,
        needs_library=True,
    ),
    Fault(
        "server-clock",
        "PostgreSQL's wall clock an hour off",
        jump_servers_clock,
        keeps_slots=True,
        needs_library=True,
    ),
    Fault(
        "promote-async",
        "a replica promoted that lacks the last second",
        promote_asynchronous,
        is_alone=True,
    ),
    Fault("promote-sync", "a synchronous replica promoted", promote_synchronous, is_alone=True),
    Fault("stop-backend", "SIGSTOP of one backend", stop_a_backend),
    Fault("hang-backend", "SIGSTOP of one backend past the nodes' deadline", hang_a_backend),
    Fault("stop-postgres", "SIGSTOP of the whole server", stop_postgres),
    Fault("cut-clients", "members' connections to a node reset", cut_clients),
    Fault("slow-clients", "members' way to a node delayed", slow_clients),
    Fault("lost-replies", "replies of a node swallowed, then reset", swallow_replies),
    Fault("half-open", "requests to a node swallowed, then reset", swallow_requests),
    Fault("double-frames", "members' requests sent twice", double_frames),
    Fault("isolate-node", "a node cut off from PostgreSQL past its lease", cut_a_node_off),
    Fault("cut-database", "all nodes cut off from PostgreSQL for a second", cut_the_database),
    Fault("slow-database", "the way to PostgreSQL delayed", slow_database),
    Fault("lost-commits", "PostgreSQL's answers swallowed, then reset", lose_commits_answers),
    *(
        Fault(f"{act}-at-{point}", f"a node told to {act} itself at {point}", at_point(point, act))
        for point in ("offsets:before", "offsets:inside", "offsets:after")
        for act in ("stop", "kill")
    ),
    *(
        Fault(f"{act}-at-{point}", f"a node told to {act} itself at {point}", at_point(point, act))
        for point in ("membership:before", "membership:inside", "membership:after")
        for act in ("stop", "kill")
    ),
    Fault("pause-member", "a member silent past its session, then a late commit", pause_a_member),
    Fault("odd-values", "requests with values that cannot be stored", send_odd_values),
    Fault("force-rebalance", "an operator's force-rebalance", force_a_rebalance),
    Fault("drain-member", "a member drained, and the drain withdrawn", drain_member),
    Fault("drain-node", "a node drained, and the drain withdrawn", drain_node),
    *(
        Fault(name, meaning, administered(act), keeps_slots=True)
        for name, meaning, act in administrators.ACTS
    ),
    Fault("two-operators", "operators who ask for much of a group at once", two_operators),
    Fault("kill-celery", "kill -9 of the worker or beat", kill_celery),
)

BY_NAME = {fault.name: fault for fault in FAULTS}
assert len(BY_NAME) == len(FAULTS), "two faults of one name"


async def stand_still(process: psutil.Process | None, seconds: float) -> None:
    if send(process, signal.SIGSTOP):
        try:
            await asyncio.sleep(seconds)
        finally:
            send(process, signal.SIGCONT)


async def _one_way(proxy: Proxy, way: str) -> None:
    """Block one direction for a moment; the blocked bytes are lost with their connections."""
    gate: asyncio.Event = getattr(proxy.weather, way)
    gate.clear()
    try:
        await asyncio.sleep(2 * SHORT_S)
        proxy.cut()
    finally:
        gate.set()


@contextmanager
def _weather(proxy: Proxy, name: str, value: object) -> Iterator[None]:
    fair = getattr(proxy.weather, name)
    setattr(proxy.weather, name, value)
    try:
        yield
    finally:
        setattr(proxy.weather, name, fair)


def _database(scene: Scene) -> Proxy:
    assert scene.world.database_proxy is not None
    return scene.world.database_proxy


def _ports_of(process: psutil.Process | None) -> set[int]:
    """The local ports of a process's connections."""
    if process is None:
        return set()
    with suppress(*GONE):
        return {found.laddr.port for found in process.net_connections("tcp") if found.raddr}
    return set()
