"""Faults, switched on per seed: each run has a random few of these (a swarm).

Each fault is a function that causes it once, and undoes it later if possible; the table says how
often it occurs. Nothing here knows what should hold.
"""

from collections.abc import Mapping
from typing import Final

from proof.simulation.cluster import DEADLINE_S, Fault, Run
from proof.simulation.late import Shade
from proof.simulation.postgres import NEVER
from proof.simulation.world import SECOND

GROWS_MAX: Final = 4
"""How many partitions a life's topics grow by, in total."""

ZOMBIE_S: Final = (4.0, 10.0)
"""A zombie's pause: longer than a lease."""


def _crash_node(run: Run) -> None:
    if node := run.any_node():
        node.crash()


def _drain_node(run: Run) -> None:
    if node := run.any_node():
        node.drain()


def _pause_node(run: Run) -> None:
    if node := run.any_node():
        node.pause(run.world.now + run.world.between(0.5, 9))


def _stall_node(run: Run) -> None:
    if node := run.any_node():
        node.pause(run.world.now + run.world.between(0.05, 1.5))


def _pause_at_write(run: Run) -> None:
    """Between the decision, the guard, the commit and the response."""
    if node := run.any_node():
        node.fail_share = 0.3
        run.database.weather.parts_share = 0.5
        run.later(1.5, node.go_on)
        run.later(1.5, run.database.whole)


def _make_zombie(run: Run) -> None:
    """A node is paused past its lease, perhaps in the middle of a write; it processes the requests
    of that time when it resumes. A rebalance elsewhere makes all of them stale."""
    node = run.any_node()
    if node is None:
        return
    seconds = run.world.rng.uniform(*ZOMBIE_S)
    if run.world.rng.random() < 0.7:
        node.fail_share, node.fail_s = 1.0, (seconds, seconds)
        node.fail_at = run.world.rng.choice(("before", "connected", "inside", "after"))
        run.database.weather.parts_share = 1.0
        run.later(2, node.go_on)
        run.later(2, run.database.whole)
    else:
        node.pause(run.world.now + int(seconds * SECOND))
    run.operate("rebalance")
    run.later(0.3 * seconds, lambda: run.operate("rebalance"))
    for client in run.clients:
        if client.owned and client.is_at(node.node_id):
            shade = Shade(client, own_process=True)
            shade.keep_connection()
            shade.was.process.spawn(shade.beat_after(seconds * run.world.rng.uniform(0.8, 1)))


def _kill_database(run: Run) -> None:
    if run.database.is_up:
        run.database.crash()
        run.later(run.world.rng.uniform(0.2, 6), run.database.start)


def _end_sessions(run: Run) -> None:
    """pg_terminate_backend, or a connection that is reset in the network: then the server continues
    with what it was sent."""
    resets = run.world.rng.random() < 0.5
    for session in list(run.database.sessions):
        if run.world.rng.random() < 0.5:
            continue
        if resets and session.connection is not None:
            session.connection.fall()
        else:
            run.database.close(session)


def _hang_backend(run: Run) -> None:
    """One backend hangs with all its locks: it does not answer, and does not notice that its client
    disconnects. If it neither holds a lock nor waits for one it hangs for ever, but for a load of
    groups, for which a node waits longer than the time without faults lasts; else until long after
    the timeout. Then it executes all that it had been sent."""
    world = run.world
    sessions = [s for s in run.database.sessions if s.hangs_until <= world.now]
    if not sessions:
        return
    session = world.rng.choice(sessions)
    session.hangs_until = NEVER
    if session.advisory or session.transaction or run.database.locks.concern(session):
        seconds = world.rng.uniform(0.5, 2) * DEADLINE_S
        session.hangs_until = min(world.now + int(seconds * SECOND), run.peace_at)
    elif session.connection is not None and session.connection.is_for_long:
        session.hangs_until = run.peace_at
    if session.connection is not None:
        session.connection.backend_hangs()


def _slow_database(run: Run) -> None:
    weather = run.database.weather
    weather.latency = run.world.rng.uniform(0.01, 0.3)
    run.later(run.world.rng.uniform(1, 6), lambda: setattr(weather, "latency", 0.0005))


def _stall_commits(run: Run) -> None:
    weather = run.database.weather
    weather.stall_share = run.world.rng.uniform(0.1, 0.5)
    run.later(run.world.rng.uniform(1, 8), lambda: setattr(weather, "stall_share", 0.0))


def _lose_replies(run: Run) -> None:
    weather = run.database.weather
    weather.lost_reply_share = run.world.rng.uniform(0.02, 0.2)
    run.later(run.world.rng.uniform(0.5, 4), lambda: setattr(weather, "lost_reply_share", 0.0))


def _cut_database(run: Run) -> None:
    """One node loses its database; clients can still reach it."""
    if node := run.any_node():
        name, cut = node.process.name, run.database.weather.cut
        cut.add(name)
        run.later(run.world.rng.uniform(0.5, 12), lambda: cut.discard(name))


def _jump_clock(run: Run) -> None:
    """The wall clock of PostgreSQL's host; monotonic clocks are not affected."""
    run.database.wall_offset += int(run.world.rng.choice([-3600, 3600]) * SECOND)


def _slow_network(run: Run) -> None:
    """So slow that a member may need a session to find its coordinator: its silence is excused."""
    for client in run.clients:
        run.excuse(client, 12)
    run.network.latency = run.world.rng.uniform(0.01, 0.25)
    run.later(run.world.rng.uniform(1, 8), lambda: setattr(run.network, "latency", 0.001))


def _duplicate(run: Run) -> None:
    run.network.duplicates = 0.2
    run.later(run.world.rng.uniform(1, 10), lambda: setattr(run.network, "duplicates", 0.0))


def _cut_client(run: Run) -> None:
    """Both directions, or one only: requests arrive and responses do not, or the reverse."""
    client = run.any_client()
    if client is None:
        return
    ways = run.world.rng.choice([("to", "from"), ("to",), ("from",)])
    cut = {(client.name, node, way) for node in run.node_ids for way in ways}
    seconds = run.world.rng.uniform(0.3, 7)
    run.excuse(client, seconds + 4)
    run.network.cut |= cut
    run.later(seconds, lambda: run.network.cut.difference_update(cut))


def _break_connections(run: Run) -> None:
    if node := run.any_node():
        for link in list(node.links):
            if run.world.rng.random() < 0.5:
                link.close()


def _pause_client(run: Run) -> None:
    if client := run.any_client():
        seconds = run.world.rng.uniform(0.5, 9)
        run.excuse(client, seconds + 1)
        client.process.pause(run.world.now + int(seconds * SECOND))


def _sleep_past_session(run: Run) -> None:
    """The member works on its records for too long, and commits first when it resumes."""
    client = run.any_client()
    if client is None or not client.owned:
        return
    seconds = run.world.rng.uniform(1.1, 2.5) * client.session_ms / 1000
    run.excuse(client, seconds + 1)
    shade = Shade(client, own_process=False)
    if run.world.rng.random() < 0.5:
        shade.keep_connection()
    client.process.spawn(shade.wake())
    client.process.loop.turn()  # it is paused in its work now
    client.process.pause(min(run.world.now + int(seconds * SECOND), run.peace_at + SECOND))


def _haunt(run: Run) -> None:
    """Requests of a member in its current state keep arriving: commits, heartbeats, a leader's
    assignment."""
    client = run.any_client()
    if client is None or not client.owned:
        return
    shade = Shade(client, own_process=True)
    if run.world.rng.random() < 0.5:
        shade.keep_connection()
    shade.was.process.spawn(shade.haunt())


def _grow_topic(run: Run) -> None:
    """One more partition; members notice it at different times."""
    topic = f"topic-{run.world.rng.choice(run.groups)}"
    if sum(run.network.grown.values()) < GROWS_MAX:
        run.network.partitions[topic] += 1
        run.network.grown[topic] += 1


def _kill_client(run: Run) -> None:
    if client := run.any_client():
        run.replace(client)


def _leave(run: Run) -> None:
    if client := run.any_client():
        client.is_leaving = True
        run.excuse(client, 3600)
        run.replace(client, kills=False)


def _double_static(run: Run) -> None:
    """A second process with the same instance id, while the first one lives."""
    client = run.any_client()
    if client is not None and client.instance is not None:
        run.replace(client, kills=False)


def _intrude(run: Run) -> None:
    """A client requests what no row can hold, past the protocol's validation."""
    if client := run.any_client():
        run.intrude(client)


def _kill_producer(run: Run) -> None:
    if producer := run.any_producer():
        producer.die()
        run.produce(producer.group_id, run.world.between(0.1, 4))


def _double_producer(run: Run) -> None:
    """A second process with the same transactional id, while the first one continues."""
    if producer := run.any_producer():
        run.produce(producer.group_id, run.world.between(0, 0.5))


def _pause_producer(run: Run) -> None:
    """Perhaps for longer than its transactions may last."""
    if producer := run.any_producer():
        producer.process.pause(run.world.now + run.world.between(0.5, 9))


def _force_rebalance(run: Run) -> None:
    run.operate("rebalance")


def _drain_slots(run: Run) -> None:
    """An operator drains a node, as REST does if others can take slots, or all nodes: rows may come
    from anywhere. The drain ends in a moment, later, or never."""
    db, rng = run.database, run.world.rng
    takers = db.nodes.keys() - db.drains
    if not takers:
        return
    node_id = rng.choice(sorted(takers))
    run.drain(node_id, is_on=True)
    if len(takers) == 1 or rng.random() < 0.8:
        seconds = rng.choice([0.3, 1, 4, 10, 25])
        run.later(seconds, lambda: run.drain(node_id, is_on=False))


def _sweep_offsets(run: Run) -> None:
    run.operate("expire-offsets")


FAULTS: Final[Mapping[str, Fault]] = {
    "node-crash": Fault(_crash_node, 9),
    "node-drain": Fault(_drain_node, 10),
    "node-pause": Fault(_pause_node, 8),
    "node-stall": Fault(_stall_node, 3),
    "node-pause-at-write": Fault(_pause_at_write, 4),
    "node-zombie": Fault(_make_zombie, 8),
    "database-crash": Fault(_kill_database, 15),
    "database-sessions": Fault(_end_sessions, 3),
    "database-hangs": Fault(_hang_backend, 5),
    "database-slow": Fault(_slow_database, 10),
    "database-stall": Fault(_stall_commits, 6),
    "database-lost-replies": Fault(_lose_replies, 4),
    "database-cut": Fault(_cut_database, 9),
    "database-clock": Fault(_jump_clock, 12),
    "network-slow": Fault(_slow_network, 10),
    "network-duplicates": Fault(_duplicate, 6),
    "network-breaks": Fault(_break_connections, 6),
    "client-cut": Fault(_cut_client, 6),
    "client-pause": Fault(_pause_client, 5),
    "client-oversleeps": Fault(_sleep_past_session, 7),
    "client-late": Fault(_haunt, 3),
    "client-crash": Fault(_kill_client, 6),
    "client-leave": Fault(_leave, 6),
    "client-double": Fault(_double_static, 6),
    "client-odd": Fault(_intrude, 5),
    "producer-crash": Fault(_kill_producer, 6),
    "producer-double": Fault(_double_producer, 6),
    "producer-pause": Fault(_pause_producer, 5),
    "topic-grows": Fault(_grow_topic, 10),
    "operator-rebalance": Fault(_force_rebalance, 6),
    "sweep-offsets": Fault(_sweep_offsets, 4),
    "operator-drain": Fault(_drain_slots, 7, draws_apart=True),
}
