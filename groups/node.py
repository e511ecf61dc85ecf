"""One coordinator node: memory, committers, lease, catalogue, doorbell.

Wiring and life cycle only; each part has its own file. ``protocol.server`` adds the wire; nothing
here depends on it.
"""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, fields
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Self

import psycopg
from django.conf import settings

from groups import broker_configs, plugins, strategies
from groups.catalogue.cache import Catalogue
from groups.clients.acls import Acls
from groups.clients.quotas import Quotas
from groups.clients.scram_credentials import BELL as CREDENTIALS_BELL
from groups.clients.scram_credentials import Credentials
from groups.clients.wire_audit import WireAudit
from groups.cluster.lease_end import LeaseEnd
from groups.cluster.restart_backoff import RestartWait
from groups.cluster.slot_keeper import SlotKeeper
from groups.cluster.supervision import supervised
from groups.cluster.view import Cluster, NodeAddress
from groups.core.events import Ticket
from groups.core.group import Millis, Rules
from groups.core.replies import Reply
from groups.core.rows import SLOTS
from groups.event_loop import monotonic_ms
from groups.operations.pause_acks import Followers
from groups.operations.requests import BELL as OPERATIONS_BELL
from groups.operations.requests import OperationDispatcher
from groups.operations.rows_read import OperationRows
from groups.postgres import connections
from groups.postgres.channels import Rung
from groups.postgres.doorbell import Doorbell, Listener
from groups.reporting import observers
from groups.reporting.client_connections import ClientConnections
from groups.reporting.group_counts import GroupCounts
from groups.reporting.instance_claims import InstanceClaims
from groups.reporting.liveness import Notes
from groups.reporting.node_minutes import NodeMinutes
from groups.reporting.offset_totals import written_max
from groups.reporting.outages import Outages
from groups.reporting.probe_responder import Watched
from groups.reporting.totals import Maxima, Totals
from groups.reporting.waiting import WaitingGroups
from groups.runtime.collaborators import Collaborators, no_connections
from groups.runtime.committer import Committer
from groups.runtime.entries import CommitQueue
from groups.runtime.fail_points import Fail, no_fail
from groups.runtime.group_configs import Configs
from groups.runtime.offset_reads import OffsetReads
from groups.runtime.retries import Reloader
from groups.runtime.runtime import STALL_MS, CoordinatorRuntime
from groups.runtime.traced import TracedCommitter
from groups.runtime.transactions import Transactions
from groups.store import preflight
from groups.store.sql import configs
from groups.store.sql.acls import BELL as ACLS_BELL
from groups.store.sql.connections import BELL as CONNECTIONS_BELL
from groups.store.sql.liveness import LOOK_BELL, WATCH_BELL
from groups.store.sql.quotas import BELL as QUOTAS_BELL
from groups.store.sql.slots import BELL as SLOTS_BELL
from groups.topics import of_kinds
from groups.topics.assignor_worker import Assigning
from groups.topics.regex_subscriptions import Patterns
from groups.topics.topic_news import TopicNews

if TYPE_CHECKING:
    from groups.tracing.spans import NodeSpans

logger = logging.getLogger(__name__)

TICK_S = 0.05
"""How often timers are checked: the longest delay of an expiry."""

HISTORY_AGAIN_S = 0.1
"""The pause before another attempt to read what every group needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSettings:
    """A node's settings from Django's, under the same names in lower case."""

    node_lease_ms: int
    node_restart_backoff_ms: int
    node_restart_backoff_max_ms: int
    coordinator_load_hold_ms: int
    coordinator_restart_grace_ms: int
    fetch_hold_min_ms: int
    fetch_hold_max_ms: int
    group_heartbeat_hold_ms: int
    group_consumer_heartbeat_hold_percent: int
    auto_create_topics_enable: bool
    num_partitions: int
    offset_metadata_max_bytes: int
    offsets_commit_timeout_ms: int
    group_id_max_bytes: int
    transaction_max_timeout_ms: int
    member_metadata_max_bytes: int
    group_metadata_max_bytes: int
    connections_max_idle_ms: int
    connections_gone_ms: int
    group_consumer_regex_refresh_interval_ms: int
    group_coordinator_rebalance_protocols: tuple[str, ...]
    connections_first_request_ms: int
    max_connections: int
    max_connections_per_ip: int
    max_connection_creation_rate: int
    reserved_file_descriptors: int
    socket_request_max_bytes: int
    queued_max_request_bytes: int
    queued_max_response_bytes: int
    request_read_timeout_ms: int
    response_read_timeout_ms: int
    request_topics_max: int
    request_groups_max: int
    request_configs_max: int
    request_offsets_max: int
    group_max_size: int
    sasl_enabled_mechanisms: tuple[str, ...]
    sasl_lockout_failures: int
    sasl_lockout_ms: int
    connection_failed_authentication_delay_ms: int
    connections_max_reauth_ms: int
    group_min_session_timeout_ms: int
    group_consumer_min_session_timeout_ms: int
    consumer_min_session_timeout_ms: int
    quota_window_num: int
    quota_window_size_seconds: int
    controller_quota_window_num: int
    controller_quota_window_size_seconds: int
    client_quotas_metered_max: int

    @classmethod
    def from_django(cls) -> Self:
        """Read them; a missing setting is a programming error and raises."""
        return cls(**{f.name: getattr(settings, f.name.upper()) for f in fields(cls)})


Work = Callable[[], Awaitable[None]]

SHARE_S = 10
"""How long a node that starts beside others waits for its share. They give it eight slots in a
quarter of a second; none comes from a node that is suspended."""

STRATEGIES = "PARTITION_ASSIGNMENT_STRATEGIES"


def rules_from_django() -> Rules:
    """The rules' settings, from Django's."""
    no_settings = {"guards", "plugged_in", "strategies", "generations_after"}
    names = [f.name for f in fields(Rules) if f.name not in no_settings]
    values = {name: getattr(settings, name.upper()) for name in names}
    return Rules(
        **values,
        plugged_in=plugins.load(values["group_consumer_assignors"]),
        strategies=strategies.load(getattr(settings, STRATEGIES)),
    )


class Node:
    """A coordinator node. ``answer`` sends a reply to a ticket's connection; ``hang_up`` closes
    those of consumers.

    ``whole`` is set once every slot of the cluster has had an owner. Without ``has_timers``, a
    switch for tests, only the session sweep makes it check deadlines. ``spans``: where requests and
    operations are traced.
    """

    def __init__(
        self,
        me: NodeAddress,
        answer: Callable[[Ticket, Reply], None],
        *,
        hang_up: Callable[[str, Iterable[str]], None] = no_connections,
        clock: Callable[[], Millis] = monotonic_ms,
        rng: Random | None = None,
        fail: Fail = no_fail,
        has_timers: bool = True,
        spans: "NodeSpans | None" = None,
    ) -> None:
        self.node_id = me.node_id
        self.spans = spans
        self.has_timers = has_timers
        self.settings = NodeSettings.from_django()
        self.cluster = Cluster("")
        self.whole = asyncio.Event()
        self.readers = connections.pool()
        self.offset_reads = OffsetReads(self.readers)
        self.catalogue = Catalogue(self.readers, me.node_id)
        maxima = Maxima.from_django()
        self.coordinator = CoordinatorRuntime(
            rules_from_django(),
            clock,
            rng or secrets.SystemRandom(),
            self._collaborators(answer, hang_up, maxima),
        )
        self._make_keeper(me)
        self.totals = Totals(maxima, self.catalogue, self.coordinator, self._reader, me.node_id)
        self.followers = Followers()
        self._make_writers(fail)
        self.assigning = Assigning(self.coordinator)
        self._make_operations()
        self._make_observers()
        self._make_topics()
        self._make_access()
        self.doorbell = Doorbell(self._listeners())

    def _collaborators(
        self,
        answer: Callable[[Ticket, Reply], None],
        hang_up: Callable[[str, Iterable[str]], None],
        maxima: Maxima,
    ) -> Collaborators:
        """They are called when the node runs, and then all exist."""
        return Collaborators(
            answer=answer,
            undecided=lambda operation_id: self.operator.undecided(operation_id),
            hang_up=hang_up,
            question=lambda group_id, question: self.assigning.submit(group_id, question),
            grown=lambda group_id: self.totals.offsets.grown(group_id),
            read_rows=lambda group_id, verb: self.operator.read_rows(group_id, verb),
            groups_max=maxima.groups_max,
            written_max=written_max(maxima.group_offsets_max),
            restart_grace_ms=self.settings.coordinator_restart_grace_ms,
        )

    def _make_keeper(self, me: NodeAddress) -> None:
        """Which slots it owns, and what it knows of the database's history."""
        settings = self.settings
        wait = RestartWait(settings.node_restart_backoff_ms, settings.node_restart_backoff_max_ms)
        self.keeper = SlotKeeper(me, self.coordinator, settings.node_lease_ms, self._publish, wait)
        self.availability = self.keeper.availability
        self._history = self._known_history = 0
        self._history_began = asyncio.Event()
        self._reading_history = asyncio.Lock()
        self.keeper.lease_loop.begun_anew = self._begin_anew
        self.keeper.loader.prepare = self._read_history

    def _make_writers(self, fail: Fail) -> None:
        """What writes decisions, transactions and configurations."""
        coordinator, look_soon, totals = self.coordinator, self.keeper.look_soon, self.totals
        self.reloader = Reloader(coordinator, self.settings.offsets_commit_timeout_ms)
        queues = (coordinator.membership, coordinator.offsets)
        self.committers = [self._committer(queue, fail) for queue in queues]
        self.transactions = Transactions(
            coordinator, self.readers, look_soon, fail, totals.admit_transactional_id
        )
        broker = broker_configs.from_django()
        self.configs = Configs(
            coordinator, self._reader, broker, self.node_id, totals.admit_configs
        )

    def _make_operations(self) -> None:
        """What operators ask for."""
        rows = OperationRows(self._reader, self.totals.offsets, self.totals.admit_configs)
        self.operator = OperationDispatcher(self.coordinator, rows, self._reader)
        if self.spans is not None:
            self.operator.traces = self.spans

    def _make_observers(self) -> None:
        """What the node writes for the sweep and for screens; no rule reads it."""
        self.notes = Notes(self.coordinator)
        self.keeper.handover.notes = self.notes
        self.watched = Watched(self.coordinator, self.notes)
        self.waiting_groups = WaitingGroups(self.coordinator, self.node_id)
        self.group_counts = GroupCounts(self.coordinator, self.catalogue)
        self.client_connections = ClientConnections(self.node_id)
        self.outages = Outages(self.coordinator, self._reader, self.node_id)
        self.keeper.took_over = self.outages.took_over
        self.minutes = NodeMinutes(self.coordinator, self.node_id)
        self.instance_claims = InstanceClaims(self.coordinator, self.node_id)

    def _make_topics(self) -> None:
        """What tells groups of changes of the catalogue."""
        refresh_ms = self.settings.group_consumer_regex_refresh_interval_ms
        self.patterns = Patterns(self.coordinator, self.catalogue, refresh_ms)
        self.topic_news = TopicNews(self.coordinator, self.catalogue)
        self.topics_of_kinds = of_kinds.followers(self.coordinator, self.catalogue)
        self._told_of_topics = 0

    def _make_access(self) -> None:
        """What is known of clients: who they are, and what they may do."""
        self.credentials = Credentials(self._reader)
        self.acls = Acls.from_django(self._reader, self.node_id)
        self.quotas = Quotas.from_django(self._reader, self.node_id)
        self.audit = WireAudit(self._reader)

    def _committer(self, queue: CommitQueue, fail: Fail) -> Committer:
        make: Callable[..., Committer] = Committer
        if self.spans is not None and queue is self.coordinator.membership:
            make = partial(TracedCommitter, self.spans)
        return make(
            self.node_id,
            self.coordinator,
            queue,
            self.reloader,
            self.keeper.look_soon,
            fail,
            self.settings.offsets_commit_timeout_ms,
        )

    def _listeners(self) -> dict[str, Listener]:
        """The listener of each channel."""
        return {
            **({} if self.acls is None else {ACLS_BELL: self.acls.rung}),
            self.catalogue.BELL: self._topics_rung,
            OPERATIONS_BELL: self.operator.look,
            configs.BELL: self.configs.rung,
            LOOK_BELL: self.notes.rung,
            WATCH_BELL: self.watched.rung,
            SLOTS_BELL: self.keeper.rung,
            CREDENTIALS_BELL: self.credentials.rung,
            QUOTAS_BELL: self.quotas.rung,
            CONNECTIONS_BELL: self.client_connections.rung,
        }

    async def start(self) -> None:
        """Connect, take the node id, read the catalogue. Raises any error that prevents that."""
        try:
            await self._start()
        except BaseException:
            await self.readers.close()  # only ``run`` would close them
            raise

    async def _start(self) -> None:
        await connections.reached()
        await self.readers.open(wait=True, timeout=connections.CONNECT_TIMEOUT_S)
        async with self.readers.connection() as connection:
            await preflight.check(connection, unsafe=settings.DATABASE_MAY_BE_UNSAFE)
            await preflight.check_loading(connection)
            await preflight.warn(connection)
            await self._read_all(connection)
        await self.keeper.start()
        self._known_history = self._history  # it has just been read

    async def _read_all(self, connection: connections.Connection) -> None:
        """Topics, users, quotas and access rules, which concern every group."""
        await self.catalogue.load(connection)
        await self.credentials.load(connection)
        await self.quotas.load(connection)
        if self.acls is not None:
            await self.acls.load(connection)

    def _begin_anew(self) -> None:
        """Nothing in memory is valid: time has gone back in PostgreSQL, or the node starts."""
        self._history += 1
        self._history_began.set()
        self.followers.forget()

    async def _read_history(self, connection: connections.Connection) -> None:
        """Before groups are served from the rows of another history: a commit to a topic that it
        does not have would be acknowledged. The doorbell comes later, and without waiting."""
        async with self._reading_history:  # two of those who need it would read it twice
            if (history := self._history) != self._known_history:
                await self._read_all(connection)
                self._known_history = history

    async def _read_histories(self) -> None:
        """Also where no group is to be served: a drained node answers logins, and requests about
        topics and rights."""
        while True:
            await self._history_began.wait()
            try:
                async with self._reader() as connection:
                    await self._read_history(connection)
            except (psycopg.Error, OSError) as error:
                logger.info("topics, users and rights are not read yet: %s", error)
                await asyncio.sleep(HISTORY_AGAIN_S)
            if self._known_history == self._history:
                self._history_began.clear()

    async def serves(self) -> None:
        """Wait until every slot has an owner, the node hears of users, rights, quotas and topics,
        and it has its share, for ``SHARE_S`` at most: who waits for this then meets no groups that
        are about to move."""
        await self.whole.wait()
        await self.doorbell.heard.wait()
        with suppress(TimeoutError):
            async with asyncio.timeout(SHARE_S):
                await self.keeper.has_its_share.wait()

    async def run(self) -> None:
        """Serve until cancelled; then release the slots."""
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self.keeper.run())
                for name, work in self._serving():
                    tasks.create_task(supervised(name, work, self.keeper.step_back))
                for name, work in self._beside():
                    tasks.create_task(supervised(name, work, _goes_on))
        finally:
            await self.keeper.stop()
            await self.notes.stop()
            await self.watched.stop()
            await self.readers.close()

    def _serving(self) -> Iterator[tuple[str, Work]]:
        """The tasks that every group of this node needs."""
        for committer in self.committers:
            yield f"the {committer.queue.name} queue", committer.run
        yield "reloading", self.reloader.run
        yield "timers", self._ticks

    def _beside(self) -> Iterator[tuple[str, Work]]:
        """All others: if one fails, groups are still served."""
        yield "the doorbell", self.doorbell.run
        yield "another history", self._read_histories
        yield "times of heartbeats", self.notes.run
        yield "what groups wait for", partial(self.waiting_groups.run, self.readers)
        yield "counts of groups' work", partial(self.group_counts.run, self.readers)
        yield "claims of instance ids", partial(self.instance_claims.run, self.readers)
        yield "notes of connections", partial(self.client_connections.run, self.readers)
        yield "outages", self.outages.run
        yield "its minutes", partial(self.minutes.run, self.readers)
        yield "observers", partial(observers.run, self.coordinator.changes, self.readers)
        yield "fetches of offsets", self.offset_reads.run
        yield "notes of who obeys", self.followers.run
        yield "transactions", self.transactions.run
        yield "assigning", self.assigning.run
        yield "patterns", self.patterns.run
        yield "topics of held members", self.topic_news.run
        yield "totals", self.totals.run
        yield "tallies", self.coordinator.tallies.run
        for kind, follower in self.topics_of_kinds.items():
            yield f"topics of {kind} groups", follower.run
        yield "the audit of logins", self.audit.run

    async def _ticks(self) -> None:
        coordinator, lease_end = self.coordinator, LeaseEnd(self.coordinator)
        coordinator.listened_at = coordinator.monotonic()
        clock, lag = asyncio.get_running_loop().time, coordinator.tallies.loop_lag
        while True:
            slept_at = clock()
            await asyncio.sleep(TICK_S)
            lag.note(clock() - slept_at - TICK_S)
            if not lease_end.look():
                coordinator.heartbeat_views.notify_all()
                continue
            self._listened()
            while self.has_timers and coordinator.tick():
                await asyncio.sleep(0)
                self._listened()

    def _listened(self) -> None:
        """Members could be heard from until now, except during a stall, whose time is added to the
        missed time."""
        coordinator = self.coordinator
        if (still_ms := coordinator.stood_still_ms) > STALL_MS:
            coordinator.tallies.stalls += 1
            logger.warning("the event loop stood still for %d ms: sessions are extended", still_ms)
            coordinator.awake()
        coordinator.listened_at = coordinator.monotonic()

    async def _topics_rung(self, rung: Rung) -> None:
        """The catalogue may have changed: update the copy first, then the subscribed groups."""
        await self.catalogue.rung(rung)
        if self.catalogue.changes != self._told_of_topics:
            self._told_of_topics = self.catalogue.changes
            self.topic_news.wake()
            for follower in self.topics_of_kinds.values():
                follower.wake()

    def _publish(self, cluster: Cluster) -> None:
        self.cluster = cluster
        if len(cluster.owners) == SLOTS:
            self.whole.set()

    def _reader(self) -> AbstractAsyncContextManager[connections.Connection]:
        return self.readers.connection()


def _goes_on(_why: str) -> None:
    """Continue: groups are served without this task."""
