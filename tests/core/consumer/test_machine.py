"""Random lives of a consumer group: no partition ever has two owners, and all ends well.

The machine plays members honest, slow, forgetful and dead, topics that come, grow and go, the
clock, operators, failovers, and batches that fail. What members work on is compared with each
other after every rule; in the end all behave, and the group must become Stable.
"""

import os

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from groups.core import events
from groups.core.errors import ErrorCode
from tests.core.consumer.talk import Client, Talk

EXAMPLES = int(os.environ.get("ROLLCALL_TEST_EXAMPLES", "60"))

PEOPLE = st.sampled_from("abcde")
INSTANCES = st.sampled_from([None, None, "i1", "i2"])
TOPICS = st.lists(st.sampled_from(["t1", "t2", "t3"]), max_size=3, unique=True).map(tuple)
ASSIGNORS = st.sampled_from([None, "uniform", "range"])


class Lives(RuleBasedStateMachine):
    """One group and everything around it."""

    @initialize(
        counts=st.dictionaries(st.sampled_from(["t1", "t2", "t3"]), st.integers(1, 5)),
        interval_ms=st.sampled_from([0, 0, 1_000, 15_000]),
        offload=st.booleans(),
    )
    def begin(self, counts: dict[str, int], interval_ms: int, offload: bool) -> None:
        self.talk = Talk(
            counts,
            group_consumer_assignment_interval_ms=interval_ms,
            group_consumer_assignor_offload_enable=offload,
        )
        self.people: dict[str, Client] = {}
        self.lives = 0
        self.lost: dict[str, Client] = {}

    # Members

    @rule(name=PEOPLE, instance=INSTANCES, topics=TOPICS, assignor=ASSIGNORS)
    def join(
        self, name: str, instance: str | None, topics: tuple[str, ...], assignor: str | None
    ) -> None:
        if name in self.people:
            return
        self.lives += 1
        client = Client(f"{name}{self.lives}", topics, instance, assignor, 20_000)
        if self.talk.code(client) is ErrorCode.NONE:
            self.people[name] = client
            client.owned = dict(client.told or {})

    @rule(name=PEOPLE)
    def obey(self, name: str) -> None:
        """Obey, then acknowledge: a partition is given up before the server knows."""
        client = self.people.get(name)
        if client is None:
            return
        if client.told is not None:
            client.owned = dict(client.told)
        code = self.talk.code(client, owned=client.owned)
        if code is ErrorCode.NONE:
            client.owned = {t: ps for t, ps in client.owned.items() if ps}
        else:
            self._fenced(name, code)

    @rule(name=PEOPLE)
    def merely_beat(self, name: str) -> None:
        client = self.people.get(name)
        if client is not None and (code := self.talk.code(client)) is not ErrorCode.NONE:
            self._fenced(name, code)

    @rule(name=PEOPLE)
    def lose_an_answer(self, name: str) -> None:
        """The server decides, the response is lost, and the member repeats its old epoch."""
        client = self.people.get(name)
        if client is None or client.epoch <= 0:
            return
        epoch, told, owned = client.epoch, client.told, dict(client.owned)
        if self.talk.code(client, owned=owned) is ErrorCode.NONE:
            client.epoch, client.told = epoch, told
            full = {
                "rebalance_timeout_ms": 20_000,
                "subscribed_topic_names": client.names,
                "owned": owned,
            }
            code = self.talk.code(client, **full)
            if code is not ErrorCode.NONE:
                self._fenced(name, code)

    @rule(name=PEOPLE)
    def join_again(self, name: str) -> None:
        client = self.people.get(name)
        if client is not None:
            client.owned, client.epoch = {}, 0
            code = self.talk.code(client)
            if code is not ErrorCode.NONE:
                del self.people[name]

    @rule(name=PEOPLE, topics=TOPICS)
    def change_topics(self, name: str, topics: tuple[str, ...]) -> None:
        client = self.people.get(name)
        if client is not None:
            client.names = topics
            code = self.talk.code(client, subscribed_topic_names=topics, owned=client.owned)
            if code is not ErrorCode.NONE:
                self._fenced(name, code)

    @rule(name=PEOPLE, for_now=st.booleans())
    def leave(self, name: str, for_now: bool) -> None:
        client = self.people.pop(name, None)
        if client is not None:
            away = for_now and client.instance_id is not None
            self.talk.beat(client, member_epoch=-2 if away else -1)

    @rule(name=PEOPLE)
    def die(self, name: str) -> None:
        """Gone without a word; it works on nothing any more, but the server cannot know."""
        self.people.pop(name, None)

    def _fenced(self, name: str, code: ErrorCode) -> None:
        """A fenced member stops working at once (and joins again, perhaps)."""
        assert code in (ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_INSTANCE_ID,
                        ErrorCode.FENCED_MEMBER_EPOCH, ErrorCode.GROUP_ID_NOT_FOUND)  # fmt: skip
        del self.people[name]

    # The world

    @rule(topic=st.sampled_from(["t1", "t2", "t3"]), count=st.integers(0, 6))
    def change_catalogue(self, topic: str, count: int) -> None:
        if count:
            self.talk.catalogue[topic] = (f"id-{topic}", count)
        else:
            self.talk.catalogue.pop(topic, None)

    @rule(ms=st.sampled_from([1_000, 7_000, 15_000, 50_000]))
    def time_goes_by(self, ms: int) -> None:
        self.talk.sleep(ms)
        self._forget_the_fenced()

    @rule(fails=st.booleans())
    def hear_of_a_target(self, fails: bool) -> None:
        """Something that was worked out elsewhere comes back, early or late, or an error does."""
        if self.talk.questions:
            question = self.talk.questions.pop(0)
            targets = None if fails else question.answer()
            self.talk.step(events.TargetComputed(question=question, targets=targets, error="x"))

    @rule(keep_live=st.booleans())
    def fail_over(self, keep_live: bool) -> None:
        if self.talk.group.durable.exists:
            self.talk.reload(keep_live=keep_live)

    @rule(name=PEOPLE)
    def lose_a_batch(self, name: str) -> None:
        """A step whose transaction fails: the committed group continues as before."""
        client = self.people.get(name)
        if client is not None:
            evict = events.EvictMember(
                operation_id=1, actor="x", reason="", member_id=client.member_id
            )
            self.talk.group.step([evict], self.talk.now, self.talk.rng)

    @rule(name=PEOPLE, force=st.booleans())
    def operate(self, name: str, force: bool) -> None:
        client = self.people.get(name)
        if force:
            self.talk.step(events.ForceRebalance(operation_id=1, actor="x", reason=""))
        elif client is not None:
            evict = events.EvictMember(
                operation_id=1, actor="x", reason="", member_id=client.member_id
            )
            self.talk.step(evict)
            self._forget_the_fenced()

    @rule(frozen=st.booleans(), interval_ms=st.sampled_from([0, 5_000, 60_000]))
    def guard(self, frozen: bool, interval_ms: int) -> None:
        self.talk.guard(frozen=frozen, interval_ms=interval_ms)
        self._forget_the_fenced()

    @rule(name=PEOPLE)
    def freeze_and_look(self, name: str) -> None:
        """In a frozen group a heartbeat changes no target."""
        client = self.people.get(name)
        if client is None:
            return
        self.talk.guard(frozen=True)
        self._forget_the_fenced()
        before = {m: member.target for m, member in self.talk.group.members.items()}
        self.obey(name)
        after = {m: member.target for m, member in self.talk.group.members.items()}
        assert after == before

    @rule()
    def delete(self) -> None:
        reply = self.talk.ask(events.DeleteGroup())
        if reply.error is ErrorCode.NONE:
            self.people.clear()

    def _forget_the_fenced(self) -> None:
        """Who was removed will hear so before it could do harm: sessions are known to both."""
        known = self.talk.group.members
        self.people = {n: c for n, c in self.people.items() if c.member_id in known}

    # What always holds

    @invariant()
    def nobody_works_on_what_another_works_on(self) -> None:
        working = [
            (topic, p)
            for client in getattr(self, "people", {}).values()
            for topic, ps in client.owned.items()
            for p in ps
        ]
        assert len(working) == len(set(working))

    @invariant()
    def all_is_consistent(self) -> None:
        if hasattr(self, "talk"):
            self.talk.check()

    def teardown(self) -> None:
        """When the dead are removed and all others behave, the group becomes Stable."""
        if not getattr(self, "people", None):
            return
        self.talk.guard()
        self._forget_the_fenced()
        for _ in range(5):  # longer than a session, heartbeats in between
            self.talk.answer()
            self.talk.sleep(10_000)
            self._forget_the_fenced()
            for name in list(self.people):
                self.obey(name)
        for _ in range(60):
            self.talk.answer()
            self.talk.sleep(500)
            for name in list(self.people):
                self.obey(name)
        if self.people:
            assert self.talk.state == "Stable"
            held = [len(c.owned) for c in self.people.values()]
            assert any(held) or not any(
                t in self.talk.catalogue for c in self.people.values() for t in c.names
            )


TestLives = Lives.TestCase
SMALL_ENOUGH = "groups.core.consumer.target_schedule.INLINE_MAX"


@pytest.fixture(autouse=True)
def _large(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is worked out elsewhere is so here from the second partition on."""
    monkeypatch.setattr(SMALL_ENOUGH, 6)


TestLives.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=40,
    suppress_health_check=list(HealthCheck),
)
