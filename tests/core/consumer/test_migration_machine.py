"""Random lives of a group that changes its kind to and fro: no partition ever has two owners.

Members of both protocols come, obey, lag, die and leave; the classic ones are eager or
cooperative. In the end all behave, and every partition has one owner.
"""

import os

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from groups.core.consumer.group import ConsumerGroup
from groups.core.conversion.policy import ALLOWED
from groups.core.errors import ErrorCode
from tests.core.consumer.crossing import Classic, Crossing, Tally
from tests.core.consumer.talk import Client

EXAMPLES = int(os.environ.get("ROLLCALL_TEST_EXAMPLES", "60"))

PEOPLE = st.sampled_from("abc")
OTHERS = st.sampled_from("xyz")
TOPICS = st.sampled_from([("t1",), ("t1", "t2"), ("t2",), ()])


class Crossings(RuleBasedStateMachine):
    """One group and all its clients."""

    @initialize(
        policy=st.sampled_from(["bidirectional", *sorted(ALLOWED)]),
        count=st.integers(1, 6),
        cooperative=st.lists(st.booleans(), max_size=3),
    )
    def begin(self, policy: str, count: int, cooperative: list[bool]) -> None:
        self.talk = Crossing({"t1": count, "t2": 2}, group_consumer_migration_policy=policy)
        self.classic: dict[str, Classic] = {}
        self.modern: dict[str, Client] = {}
        self.lives = 0
        for name, can in zip("abc", cooperative, strict=False):
            self.classic[name] = Classic(("t1",), can, rebalance_ms=20_000)
        self.talk.live(*self.classic.values())

    # Members of the classic protocol

    @rule(name=PEOPLE, topics=TOPICS, cooperative=st.booleans(), static=st.booleans())
    def classic_comes(
        self, name: str, topics: tuple[str, ...], cooperative: bool, static: bool
    ) -> None:
        if name not in self.classic:
            self.classic[name] = Classic(
                topics, cooperative, f"i-{name}" if static else None, rebalance_ms=20_000
            )

    @rule(name=PEOPLE, times=st.integers(1, 4))
    def classic_goes_on(self, name: str, times: int) -> None:
        member = self.classic.get(name)
        for _ in range(times if member is not None else 0):
            assert member is not None
            self.talk.go_on(member)

    @rule(name=PEOPLE)
    def classic_leaves(self, name: str) -> None:
        member = self.classic.pop(name, None)
        if member is not None and member.member_id in self.ids():
            self.talk.leave_classic(member)

    @rule(name=PEOPLE)
    def classic_dies(self, name: str) -> None:
        """Gone without a word; it works on nothing any more, but the server cannot know."""
        self.classic.pop(name, None)

    # Members of the consumer protocol

    @rule(name=OTHERS, topics=TOPICS, instance=st.sampled_from([None, "i-a", "i-x"]))
    def modern_comes(self, name: str, topics: tuple[str, ...], instance: str | None) -> None:
        if name in self.modern:
            return
        self.lives += 1
        client = Client(f"{name}{self.lives}", topics, instance, None, 20_000)
        if self.talk.code(client) is ErrorCode.NONE:
            self.modern[name] = client
            client.owned = dict(client.told or {})
            self.replaced()

    @rule(name=OTHERS, times=st.integers(1, 3))
    def modern_obeys(self, name: str, times: int) -> None:
        for _ in range(times):
            client = self.modern.get(name)
            if client is None:
                return
            if client.told is not None:
                client.owned = dict(client.told)
            if self.talk.code(client, owned=client.owned) is not ErrorCode.NONE:
                del self.modern[name]

    @rule(name=OTHERS)
    def modern_leaves(self, name: str) -> None:
        client = self.modern.pop(name, None)
        if client is not None:
            self.talk.beat(client, member_epoch=-1)

    @rule(name=OTHERS)
    def modern_dies(self, name: str) -> None:
        self.modern.pop(name, None)

    # The world

    @rule(ms=st.sampled_from([1_000, 9_000, 25_000, 50_000]))
    def time_goes_by(self, ms: int) -> None:
        self.talk.sleep(ms)
        self.forget()

    @rule(keep_live=st.booleans())
    def fail_over(self, keep_live: bool) -> None:
        if self.talk.group.durable.exists:
            self.talk.reload(keep_live=keep_live)
            self.forget()

    @rule(count=st.integers(1, 7))
    def change_catalogue(self, count: int) -> None:
        self.talk.catalogue["t1"] = ("id-t1", count)

    def ids(self) -> set[str]:
        """All members that the group knows, waiting new members included."""
        group = self.talk.group
        waiting = set() if isinstance(group, ConsumerGroup) else set(group.live.joins)
        return set(group.durable.members) | waiting

    def forget(self) -> None:
        """A removed member knows it before it could do harm: sessions are known to both."""
        ids = self.ids()
        self.modern = {n: c for n, c in self.modern.items() if c.member_id in ids}
        for member in self.classic.values():
            if member.owned and member.member_id not in ids:
                member.owned, member.member_id, member.wants = frozenset(), "", "join"

    def replaced(self) -> None:
        """A static member that was replaced stops: its successor took its place, and its parts."""
        self.forget()

    # What always holds

    @invariant()
    def nobody_works_on_what_another_works_on(self) -> None:
        if not hasattr(self, "talk"):
            return
        self.forget()
        tally = Tally()
        for name, member in self.classic.items():
            tally.add(name, member.works_on)
        for name, client in self.modern.items():
            tally.add(name, client.owned)
        tally.check()

    def teardown(self) -> None:
        """When the dead are removed and all others behave, every partition has an owner."""
        if not getattr(self, "classic", None) and not getattr(self, "modern", None):
            return
        self.step_all(3)  # a static member that returns gets what it had before topics grew
        for member in self.classic.values():
            self.talk.notice_topics(member)
        for _ in range(20):  # longer than a session, signs of life in between
            self.talk.sleep(5_000)
            self.forget()
            self.step_all(2)
        self.step_all(60)
        self.forget()
        tally = Tally()
        for name, member in self.classic.items():
            tally.add(name, member.works_on)
        for name, client in self.modern.items():
            tally.add(name, client.owned)
        tally.check()
        refused = ErrorCode.INCONSISTENT_GROUP_PROTOCOL  # by the policy
        members = [m for m in self.classic.values() if m.last is not refused]
        topics = {t for m in members for t in m.topics}
        if isinstance(self.talk.group, ConsumerGroup):
            assert self.talk.state in ("Stable", "Empty"), self.talk.state
        elif not topics:
            return
        wanted = {(t, p) for t in topics for p in range(self.talk.catalogue[t][1])}
        assert tally.owners.keys() >= wanted or not self.ids()

    def step_all(self, times: int) -> None:
        for _ in range(times):
            for member in self.classic.values():
                self.talk.go_on(member)
                self.forget()
            for name in list(self.modern):
                self.modern_goes_on(name)

    def modern_goes_on(self, name: str) -> None:
        client = self.modern[name]
        if client.told is not None:
            client.owned = dict(client.told)
        if self.talk.code(client, owned=client.owned) is not ErrorCode.NONE:
            del self.modern[name]


TestCrossings = Crossings.TestCase
TestCrossings.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def test_a_static_member_replaced_before_its_sync_leaves_no_partition_unassigned() -> None:
    """The rebalance that was on is the new group's to end, though subscriptions are the same."""
    life = Crossings()
    life.begin(policy="bidirectional", count=1, cooperative=[])
    life.classic_comes(cooperative=False, name="a", static=True, topics=("t1", "t2"))
    life.classic_goes_on(name="a", times=1)
    assert life.talk.state == "CompletingRebalance"

    life.modern_comes(instance="i-a", name="x", topics=("t1", "t2"))

    assert life.modern["x"].told == {"t1": [0], "t2": [0, 1]}
    life.teardown()
