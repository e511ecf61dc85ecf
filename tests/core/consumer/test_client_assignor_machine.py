"""Random lives of a group whose members assign: everything of ``test_machine``, and then some.

Members prepare, think for long, install what is right, late or nonsense, fail and die on the way.
In the end no member assigns any more, and the group must become Stable all the same.
"""

from random import Random

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from groups.core import events
from groups.core.assignors.client_side import ClientAssignor, ClientAssignors
from groups.core.errors import ErrorCode
from groups.core.replies import Installed, Prepared
from tests.core.consumer import test_machine as machine
from tests.core.consumer.talk import Client
from tests.core.consumer.test_machine import PEOPLE, TOPICS, _large

NAMES = st.sampled_from(["mine", "mine", "yours"])
VERSIONS = st.sampled_from([(0, 0, 0), (0, 0, 0), (0, 1, 1), (1, 1, 1)])
SAID = st.lists(st.tuples(NAMES, VERSIONS), max_size=2, unique_by=lambda pair: pair[0])

__all__ = ["TestClientLives", "_large"]


def assignors_of(pairs: list[tuple[str, tuple[int, int, int]]]) -> ClientAssignors:
    return tuple(ClientAssignor(name, 0, *versions) for name, versions in pairs)


class ClientLives(machine.Lives):
    """One group, members with assignors and without, and everything around it."""

    def __init__(self) -> None:
        super().__init__()
        self.views: list[tuple[Client, Prepared]] = []

    @initialize(
        counts=st.dictionaries(st.sampled_from(["t1", "t2", "t3"]), st.integers(1, 5), min_size=1),
        interval_ms=st.sampled_from([0, 0, 1_000]),
        offload=st.booleans(),
        crowd=st.integers(0, 3),
    )
    def begin(self, counts: dict[str, int], interval_ms: int, offload: bool, crowd: int) -> None:
        super().begin(counts=counts, interval_ms=interval_ms, offload=offload)
        for name in "abc"[:crowd]:
            self.join_able(
                name=name, topics=tuple(counts), said=[("mine", (0, 0, 0))], static=False
            )

    @rule(name=PEOPLE, topics=TOPICS, said=SAID, static=st.booleans())
    def join_able(
        self,
        name: str,
        topics: tuple[str, ...],
        said: list[tuple[str, tuple[int, int, int]]],
        static: bool,
    ) -> None:
        if name in self.people:
            return
        self.lives += 1
        instance = "i1" if static else None
        client = Client(
            f"{name}{self.lives}", topics, instance, None, 20_000, said=assignors_of(said)
        )
        if self.talk.code(client) is ErrorCode.NONE:
            self.people[name] = client
            client.owned = dict(client.told or {})

    @rule(name=PEOPLE, said=SAID)
    def say_something_new(self, name: str, said: list[tuple[str, tuple[int, int, int]]]) -> None:
        client = self.people.get(name)
        if client is not None:
            client.said = assignors_of(said)
            code = self.talk.code(client, client_assignors=client.said)
            if code is not ErrorCode.NONE:
                self._fenced(name, code)

    @rule(name=PEOPLE, is_asked=st.booleans())
    def prepare(self, name: str, is_asked: bool) -> None:
        """One that is asked, or any member."""
        asked = [client for client in self.people.values() if client.is_asked]
        client = asked[0] if is_asked and asked else self.people.get(name)
        if client is None:
            return
        event = events.PrepareAssignment(member_id=client.member_id, member_epoch=client.epoch)
        reply = self.talk.ask(event)
        assert isinstance(reply, Prepared)
        if reply.error is ErrorCode.NONE:
            assert {m.subscriber.member_id for m in reply.members} == set(self.talk.group.members)
            self.views.append((client, reply))

    @rule(seed=st.integers(0, 1_000), is_sane=st.booleans(), fails=st.booleans())
    def assign(self, seed: int, is_sane: bool, fails: bool) -> None:
        """Everybody beats; who is asked then looks and answers at once."""
        for name in list(self.people):
            self.merely_beat(name=name)
        for name, client in list(self.people.items()):
            if client.is_asked:
                self.prepare(name=name, is_asked=True)
                self.install(seed=seed, is_sane=is_sane, fails=fails and not is_sane)

    @rule(seed=st.integers(0, 1_000), is_sane=st.booleans(), fails=st.booleans())
    def install(self, seed: int, is_sane: bool, fails: bool) -> None:
        """What was worked out for one of the last views, whatever happened since."""
        if not self.views:
            return
        client, view = self.views.pop()
        rng = Random(seed)
        targets: dict[str, set[tuple[str, int]]] = {}
        for topic, count in view.topics.values():
            takers = [
                m.subscriber.member_id
                for m in view.members
                if not is_sane or topic in m.subscriber.topics
            ]
            for p in range(count if takers else 0):
                targets.setdefault(rng.choice(takers), set()).add((topic, p))
        before = self.talk.group.durable
        event = events.InstallAssignment(
            member_id=client.member_id,
            member_epoch=client.epoch,
            group_epoch=view.group_epoch,
            targets={m: frozenset(parts) for m, parts in targets.items()},
            failure="no" if fails else None,
        )
        reply = self.talk.ask(event)
        assert isinstance(reply, Installed)
        if reply.error is not ErrorCode.NONE:
            assert self.talk.group.durable is before, "refused, and something changed"
        elif not fails:
            assert self.talk.target_epoch == view.group_epoch == self.talk.epoch
            given = {m: set(row.target) for m, row in self.talk.group.members.items() if row.target}
            assert given == targets


TestClientLives = ClientLives.TestCase
TestClientLives.settings = machine.TestLives.settings
