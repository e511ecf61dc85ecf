"""Random runs of a classic group: the invariants hold and no request is forgotten.

The machine plays clients, operators, the clock, and a node that fails over,
reloads, sleeps and loses batches. After every rule the whole state is checked,
and the tickets that wait for an answer are exactly those that the group holds.
``ROLLCALL_TEST_EXAMPLES`` makes it longer than the default.
"""

import os
from dataclasses import replace
from random import Random

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from groups.core import events
from groups.core.classic.group import ClassicGroup
from groups.core.errors import ErrorCode
from groups.core.group import Answer, Decision, Guards, Rules
from groups.core.replies import ErrorReply, Joined
from groups.core.rows import Durable
from tests.core.conversation import subscription
from tests.core.invariants import check_thoroughly

EXAMPLES = int(os.environ.get("ROLLCALL_TEST_EXAMPLES", "100"))

CLIENTS = st.integers(0, 5)
INSTANCES = st.sampled_from([None, None, "i1", "i2"])
NAMES = st.sampled_from([("range",), ("range", "sticky"), ("sticky", "range")])
TOPICS = st.sampled_from(["orders", "payments"])
SESSIONS = st.sampled_from([6_000, 10_000, 45_000])
TIMEOUTS = st.sampled_from([0, 5_000, 20_000, 300_000])


class Lives(RuleBasedStateMachine):
    """One group and everything around it."""

    @initialize(
        delay=st.sampled_from([0, 3_000]), quiet=st.sampled_from([0, 500]), most=st.integers(2, 6),
        count=st.integers(0, 5), statics=st.booleans(), synced=st.booleans(),
    )  # fmt: skip
    def begin(
        self, delay: int, quiet: int, most: int, count: int, statics: bool, synced: bool
    ) -> None:
        self.limits = Rules(
            group_initial_rebalance_delay_ms=delay, group_quiet_window_ms=quiet, group_max_size=most
        )
        self.now, self.seed, self.requests, self.revision = 1_000, 0, 0, 0
        self.group = ClassicGroup.absent("g", self.limits, self.now)
        self.waiting: dict[events.Ticket, int] = {}
        self.ids: dict[int, str] = {}
        self.generations: dict[int, frozenset[str]] = {}
        self.batch: list[events.Event] = []
        self._gather(count, statics, synced)

    def _gather(self, count: int, statics: bool, synced: bool) -> None:
        """A life may begin with a few members, who fill the group as far as it goes."""
        for client in range(count):
            instance = f"i{client}" if statics and client in (1, 2) else None
            self.join(client, instance, ("range", "sticky"), "orders", 45_000, 20_000, True, 3)
        self.tick(6_000)
        self.everyone_rejoins()
        if synced:
            self.everyone_syncs()

    # Clients

    @rule(
        client=CLIENTS, instance=INSTANCES, names=NAMES, topics=TOPICS, session=SESSIONS,
        timeout=TIMEOUTS, anew=st.booleans(), version=st.sampled_from([3, 5, 9]),
    )  # fmt: skip
    def join(
        self, client: int, instance: str | None, names: tuple[str, ...], topics: str, session: int,
        timeout: int, anew: bool, version: int,
    ) -> None:  # fmt: skip
        self._say(
            events.JoinGroup(
                ticket=self._ticket(client),
                member_id="" if anew else self.ids.get(client, ""),
                instance_id=instance,
                client_id=f"c{client}",
                client_host="/127.0.0.1",
                session_timeout_ms=session,
                rebalance_timeout_ms=timeout,
                protocol_type="consumer",
                protocols=tuple((name, subscription(topics)) for name in names),
                needs_member_id=version >= 4,
                can_skip_assignment=version >= 9,
            )
        )

    @rule()
    def everyone_rejoins(self) -> None:
        for row in self.group.roster():
            self._say(
                events.JoinGroup(
                    ticket=self._ticket(0),
                    member_id=row.member_id,
                    instance_id=row.instance_id,
                    client_id=row.client_id,
                    client_host=row.client_host,
                    session_timeout_ms=row.session_timeout_ms,
                    rebalance_timeout_ms=row.rebalance_timeout_ms,
                    protocol_type="consumer",
                    protocols=tuple((n, subscription("orders")) for n in ("range", "sticky")),
                )
            )
        self._flush()

    @rule(client=CLIENTS, wrong=st.booleans())
    def sync(self, client: int, wrong: bool) -> None:
        group = self.group.durable.group
        self._say(self._sync(client, self._member(client), group.generation + wrong))

    @rule()
    def all_but_the_leader_sync(self) -> None:
        group = self.group.durable.group
        for member_id in self.group.durable.members:
            if member_id != group.leader:
                self._say(self._sync(0, member_id, group.generation))
        self._flush()

    @rule()
    def everyone_syncs(self) -> None:
        group = self.group.durable.group
        for member_id in self.group.durable.members:
            self._say(self._sync(0, member_id, group.generation))
        self._flush()

    @rule(client=CLIENTS, instance=INSTANCES)
    def leave(self, client: int, instance: str | None) -> None:
        leaver = events.Leaver(self._member(client), instance)
        self._say(events.LeaveGroup(ticket=self._ticket(client), members=(leaver, leaver)))

    @rule(client=CLIENTS)
    def heartbeat(self, client: int) -> None:
        generation = self.group.durable.group.generation
        code = self.group.heartbeat_view().heartbeat(
            self.ids.get(client, "x"), None, generation, self.now
        )
        known = self.ids.get(client) in {row.member_id for row in self.group.roster()}
        assert known is (code != ErrorCode.UNKNOWN_MEMBER_ID)

    @rule(client=CLIENTS, member=st.booleans())
    def commit(self, client: int, member: bool) -> None:
        generation = self.group.durable.group.generation if member else -1
        self._say(
            events.OffsetCommit(
                ticket=self._ticket(client), generation_id=generation,
                member_id=self.ids.get(client, "") if member else "", instance_id=None,
                offsets=(events.OffsetWrite("orders", 0, 1, -1, ""),), version=9,
            )
        )  # fmt: skip

    @rule(client=CLIENTS)
    def hang_up(self, client: int) -> None:
        """The connection is over that got the client's id, be it still handed out or long used."""
        self._say(events.IdsAbandoned(member_ids=(self.ids.get(client, "x"), "y")))

    # Operators and time

    @rule()
    def force(self) -> None:
        self._say(events.ForceRebalance(operation_id=self.requests, actor="ops", reason="test"))

    @rule(client=CLIENTS)
    def evict(self, client: int) -> None:
        member_id = self._member(client)
        self._say(
            events.EvictMember(operation_id=1, actor="ops", reason="test", member_id=member_id)
        )

    @rule(frozen=st.booleans(), interval=st.sampled_from([0, 1_000, 30_000, 600_000]))
    def guard(self, frozen: bool, interval: int) -> None:
        """Somebody changes the group's guard rails, batch or no batch."""
        self.limits = replace(self.limits, guards=Guards(interval, frozen))
        self.group = self.group.with_rules(self.limits)

    @rule()
    def thaw(self) -> None:
        """Whatever was put off begins at once."""
        self._flush()
        self.guard(False, 0)
        self.tick(0)
        assert self.group.live.put_off is None
        assert self.group.live.join_phase is not None or not self.group.live.joins

    @rule()
    def delete(self) -> None:
        self._say(events.DeleteGroup(ticket=self._ticket(0)))
        self._flush()

    @rule(ms=st.sampled_from([1, 499, 500, 1_000, 3_000, 6_000, 20_000, 300_000]))
    def tick(self, ms: int) -> None:
        self._flush()
        end, ticks = self.now + ms, 0
        while (due := self.group.due(self.now)) is not None and due <= end:
            self.now, ticks = max(due, self.now), ticks + 1
            assert ticks < 2_000, "the timers spin"
            self._step([events.Tick()])
        self.now = end

    # The node

    @rule()
    def flush(self) -> None:
        self._flush()

    @rule()
    def fail_over(self) -> None:
        self.batch.clear()
        self._answer(self.group.let_go(ErrorCode.NOT_COORDINATOR))
        self.waiting.clear()  # requests of the lost batch end with their connections
        self.group = ClassicGroup.merge(self.group.durable, None, self.limits, self.now)

    @rule(committed=st.booleans())
    def lose_a_batch(self, committed: bool) -> None:
        """The outcome of a batch is unknown; the same owner reads the rows again."""
        lost = {event.ticket for event in self.batch if event.ticket is not None}
        decision = self.group.step(self.batch, self.now, Random(self.seed))
        durable = self.group.durable
        if committed and not decision.deleted:
            durable = self._durable_after(decision)
        self.batch.clear()
        for ticket in lost:
            del self.waiting[ticket]
        self.group = ClassicGroup.merge(durable, self.group.live, self.limits, self.now)
        self._answer(self.group.resume(list(self.waiting)))

    @rule(missed=st.integers(0, 60_000))
    def rearm(self, missed: int) -> None:
        self._flush()
        self.group = self.group.rearm(self.now, missed)

    @invariant()
    def nobody_is_forgotten(self) -> None:
        if not hasattr(self, "group"):
            return
        check_thoroughly(self.group.durable, self.group.live)
        asked = {event.ticket for event in self.batch}
        assert set(self.group.live.tickets()) == set(self.waiting) - asked
        self._same_generation_same_members()

    def _same_generation_same_members(self) -> None:
        """A generation's members only ever go, but for static ones that change their id."""
        durable = self.group.durable
        if durable.group.state not in ("CompletingRebalance", "Stable"):
            return
        who = frozenset(row.instance_id or m for m, row in durable.members.items())
        before = self.generations.get(durable.group.generation, who)
        owes = "must_rebalance" in durable.group.details
        assert who == before or (owes and who < before), "somebody came into a generation"
        self.generations[durable.group.generation] = who
        if durable.group.state == "Stable":
            self._a_freeze_disturbs_nobody()

    def _a_freeze_disturbs_nobody(self) -> None:
        """A postponed rebalance is not visible, and a frozen group waits for no member."""
        live = self.group.live
        assert self.group.heartbeat_view().code is ErrorCode.NONE
        if live.put_off is not None and not live.recovering and not self.limits.guards.frozen:
            due = self.group.due(self.now)
            assert due is not None, "nobody will ever begin what was put off"

    # Steps

    def _ticket(self, client: int) -> events.Ticket:
        self.requests += 1
        ticket = events.Ticket(client, self.requests)
        self.waiting[ticket] = client
        return ticket

    def _member(self, client: int) -> str:
        """Some member, new ones included; a pending id or an unknown one when there is none."""
        roster = self.group.roster()
        if roster:
            return roster[client % len(roster)].member_id
        return self.ids.get(client, "x")

    def _sync(self, client: int, member_id: str, generation: int) -> events.SyncGroup:
        return events.SyncGroup(
            ticket=self._ticket(client), generation_id=generation, member_id=member_id,
            instance_id=None, assignments={member_id: b"work"},
        )  # fmt: skip

    def _say(self, event: events.Event) -> None:
        self.batch.append(event)
        if len(self.batch) > 3:
            self._flush()

    def _flush(self) -> None:
        batch, self.batch = self.batch, []
        if batch:
            self._step(batch)

    def _step(self, batch: list[events.Event]) -> None:
        before = (self.group.durable, self.group.live, self.group.live.copy())
        self.seed += 1
        decision = self.group.step(batch, self.now, Random(self.seed))
        again = self.group.step(batch, self.now, Random(self.seed))
        assert decision.answers == again.answers, "the same inputs gave another decision"
        self._is_untouched(*before)
        after = decision.group
        assert isinstance(after, ClassicGroup)
        if decision.deleted:
            self.revision, self.generations = 0, {}
        if after.durable is not self.group.durable:
            after = after.with_revision(self._durable_after(decision).revision)
        self.group = after
        self._answer(decision.answers)

    def _is_untouched(self, durable: Durable, live: object, copy: object) -> None:
        assert self.group.durable is durable
        assert self.group.live is live
        copied = self.group.live.copy()
        assert copied == copy, "a step changed the group that it was given"

    def _durable_after(self, decision: Decision) -> Durable:
        durable = decision.group.durable
        if durable is self.group.durable or decision.group.idle:
            return durable
        self.revision += 1
        return Durable(durable.group, durable.members, self.revision)

    def _answer(self, answers: tuple[Answer, ...]) -> None:
        for ticket, reply in answers:
            client = self.waiting.pop(ticket)  # KeyError: answered twice
            assert not isinstance(reply, ErrorReply), "a parked request deserves its own reply"
            if isinstance(reply, Joined) and reply.member_id:
                self.ids[client] = reply.member_id


Lives.TestCase.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=40,
)
TestLives = Lives.TestCase
