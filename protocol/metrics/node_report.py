"""What a node reports to Prometheus and supervisors: its own counts, and whether it serves.

Reads only memory, never PostgreSQL. What connections have counted is summed on request, in slices.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from groups.core.errors import ErrorCode
from groups.core.instance_claims import How
from groups.core.rows import SLOTS
from groups.event_loop import Slices
from groups.metrics.node_series import NODE
from groups.metrics.series import Sample, exposed
from groups.node import Node
from protocol.apis import APIS
from protocol.limits.metering import Metering
from protocol.metrics.metrics_listener import Answer

BEATS: Final = ("Heartbeat", "ConsumerGroupHeartbeat")
"""APIs whose handler answers the requests that the fast path does not."""

KAFKAS: Final = frozenset(api.name for api in APIS.values())


class NodeReport(Collector):
    """``server`` is a ``protocol.server.CoordinatorServer`` whose node has been created."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self._registry = CollectorRegistry(auto_describe=False)
        self._registry.register(self)
        ProcessCollector(registry=self._registry)

    def describe(self) -> Iterable[Metric]:
        """Nothing: the names depend on the node, which does not exist yet."""
        return ()

    def collect(self) -> Iterable[Metric]:
        """All series."""
        return exposed(NODE, self.samples())

    async def metrics(self, accept: str) -> Answer:
        """As Prometheus' text format or as OpenMetrics."""
        await _settle(self._server)
        encode, content_type = choose_encoder(accept)
        return Answer(HTTPStatus.OK, encode(self._registry), content_type)

    def readiness(self, *, verbose: bool) -> Answer:
        """200, or 503 if clients should use another node. The checks are listed if ``verbose``, or
        if one failed; lines with ``!`` do not affect the status."""
        checks, notes = self.checks(), self.notes()
        ready = all(checks.values())
        lines = ["ok" if ready else "not ready"]
        if verbose or not ready:
            check_lines = [f"[+]{n} ok" if ok else f"[-]{n} failed" for n, ok in checks.items()]
            check_lines += [f"[+]{n} ok" if ok else f"[!]{n} degraded" for n, ok in notes.items()]
            check_lines += self._drain()
            lines = [*check_lines, *lines]
        status = HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE
        return Answer(status, ("\n".join(lines) + "\n").encode())

    def checks(self) -> Mapping[str, bool]:
        """The checks that determine the status."""
        server = self._server
        return {
            "listener": server.accepts,
            "lease": server.coordinator.holds_lease,
            "draining": not server.is_draining,
        }

    def _drain(self) -> Sequence[str]:
        """A drained node is ready: it serves every request that does not need a slot."""
        if not self._server.node.keeper.is_drained:
            return ()
        left = len(self._server.coordinator.epochs)
        return (f"[!]draining: an operator drained this node; slots left: {left}",)

    def notes(self) -> Mapping[str, bool]:
        """States of the whole cluster, for which this node may not be responsible."""
        return {"slots": len(self._server.node.cluster.owners) == SLOTS}

    def samples(self) -> Iterator[Sample]:
        """All samples."""
        server = self._server
        yield from _node(server.node)
        yield Sample("rollcall_connections", len(server.connections))
        yield Sample("rollcall_draining", int(server.is_draining))
        yield Sample("rollcall_drained", int(server.node.keeper.is_drained))
        yield Sample("rollcall_held_heartbeats_news_total", server.ends.news)
        yield from _requests(server)
        yield from _decisions(server.node)
        yield from _queues(server.node)
        yield from _claims(server.node)
        yield from _pauses(server.metering)


def _node(node: Node) -> Iterator[Sample]:
    coordinator = node.coordinator
    left_ms = coordinator.lease_until - coordinator.monotonic()
    yield Sample("rollcall_node_info", 1, (str(node.node_id),))
    yield Sample("rollcall_lease_seconds", max(0, left_ms) / 1000)
    yield Sample("rollcall_slots_owned", len(coordinator.epochs))
    yield Sample("rollcall_groups_loaded", len(coordinator.entries))
    yield Sample("rollcall_loop_lag_seconds", coordinator.tallies.loop_lag)
    yield Sample("rollcall_loop_stalls_total", coordinator.tallies.stalls)
    yield Sample("rollcall_unheard_seconds_total", coordinator.missed / 1000)
    for kind, figure in node.totals.figures.items():
        yield Sample("rollcall_limit_used", figure.now, (kind,))
        yield Sample("rollcall_limit_max", figure.most, (kind,))


def _claims(node: Node) -> Iterator[Sample]:
    for how in How:
        yield Sample("rollcall_instance_claims_total", node.instance_claims.counts[how], (how,))


async def _settle(server: Any) -> None:
    """What connections have counted becomes the node's."""
    slices = Slices()
    for connection in list(server.connections):
        connection.settle()
        if slices.is_over:
            await slices.pause()


async def heartbeats_until_now(server: Any) -> int:
    """How many heartbeats were answered since the server began."""
    await _settle(server)
    return sum(heartbeats(server).values())


def heartbeats(server: Any) -> Mapping[int, int]:
    """Heartbeats that were answered, by the fast path and by handlers, by error code."""
    beats = Counter[int](server.coordinator.tallies.heartbeats)
    for name in BEATS:
        if name in server.served:
            beats.update(server.served[name].errors)
    return beats


def _requests(server: Any) -> Iterator[Sample]:
    for name, served in server.served.items():
        yield Sample("rollcall_request_seconds", served.durations, (name,))
        for number, count in served.errors.items():
            yield Sample("rollcall_requests_total", count, (name, _result(name, number)))
    commits = server.coordinator.tallies.commits
    for name, counts in (("heartbeats", heartbeats(server)), ("commits", commits)):
        for number in sorted(counts):
            result = _result(BEATS[0], number)
            yield Sample(f"rollcall_{name}_total", counts[number], (result,))


def _result(api: str, number: int) -> str:
    """Kafka's name of an error; the draft has numbers of its own."""
    known = api in KAFKAS and number in ErrorCode._value2member_map_
    return ErrorCode(number).name if known else str(int(number))


def _decisions(node: Node) -> Iterator[Sample]:
    tallies = node.coordinator.tallies
    for trigger, count in tallies.rebalances.items():
        yield Sample("rollcall_rebalances_total", count, (trigger,))
    for phase, durations in tallies.phases.items():
        yield Sample("rollcall_rebalance_seconds", durations, (phase,))
    yield Sample("rollcall_moved_partitions_total", tallies.moved)
    yield Sample("rollcall_member_arrivals_total", tallies.arrivals)
    for cause, count in tallies.departures.items():
        yield Sample("rollcall_member_departures_total", count, (cause,))


def _queues(node: Node) -> Iterator[Sample]:
    for name, queue in node.coordinator.tallies.queues.items():
        yield Sample("rollcall_batch_seconds", queue.batches, (name,))
        yield Sample("rollcall_batch_groups_total", queue.groups, (name,))
        for why, count in queue.failures.items():
            yield Sample("rollcall_batch_failures_total", count, (name, why))


def _pauses(metering: Metering) -> Iterator[Sample]:
    for by, milliseconds in metering.paused.items():
        yield Sample("rollcall_throttled_seconds_total", milliseconds / 1000, by)
    for by, count in metering.pauses.items():
        yield Sample("rollcall_throttled_total", count, by)
