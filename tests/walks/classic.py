"""A client of the classic protocol, which leads when it is the leader."""

from collections.abc import Iterator
from dataclasses import dataclass

from groups.core import events
from groups.core.assignment import assignment_of
from groups.core.errors import ErrorCode
from groups.core.replies import Joined, Reply, Synced
from groups.core.subscription import subscription_of
from tests.core.consumer.wire_bytes import subscription
from tests.walks.people import TOPICS, Person

PROTOCOLS = (
    ("range",), ("range",), ("range", "roundrobin"), ("roundrobin", "range"),
    ("cooperative-sticky",), ("roundrobin",),
)  # fmt: skip
ASK_AGAIN = (ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE)


@dataclass
class Classic(Person):
    """``joined``: the response to its join, until it has synced."""

    names: tuple[str, ...] = ("range",)
    protocol_type: str = "consumer"
    version: int = 3
    joined: Joined | None = None
    works: bool = False
    metadata: bytes | None = None

    def __post_init__(self) -> None:
        self.names = self.life.common(PROTOCOLS)

    def next(self) -> Iterator[events.Event]:
        if self.is_busy:
            return
        if self.joined is not None:
            yield self._sync(self.joined)
        elif self.works:
            yield from self._beat()
        else:
            yield self._join()

    def odd(self) -> Iterator[events.Event]:
        chance = self.life.chance
        kinds = (super().odd, lambda: iter([self._join()]), self._odd_sync)
        for event in chance.pick(kinds)():
            yield self.bent(event) if chance.once_in(2) else event

    def changes_its_mind(self) -> None:
        super().changes_its_mind()
        chance = self.life.chance
        self.names = chance.pick((self.names,) * 4 + (*PROTOCOLS, ()))
        self.protocol_type = chance.pick(("consumer",) * 12 + ("connect", ""))
        self.version = chance.below(4)
        self.metadata = chance.pick((None,) * 12 + (b"", b"\0\3odd", b"x" * 120))

    def mends(self) -> None:
        super().mends()
        self.names, self.protocol_type = self.life.common(PROTOCOLS), "consumer"

    def forget(self) -> None:
        super().forget()
        self.joined, self.works = None, False

    def _join(self) -> events.Event:
        chance, life = self.life.chance, self.life
        self.is_busy = True
        own = [(t, p) for t in self.topics for p in range(chance.below(2))]
        said = self.metadata
        if said is None:
            said = subscription(self.topics, own, self.version, chance.pick((None, "r-1")))
        facts = {t: (f"id-{t}", life.counts[t]) for t in self.topics if t in life.counts}
        return events.JoinGroup(
            ticket=life.ticket(self), member_id=self.member_id, instance_id=self.instance_id,
            client_id=self.name, client_host=chance.pick(("/a", "/a", "/b")),
            session_timeout_ms=self.session_ms, rebalance_timeout_ms=self.rebalance_ms,
            protocol_type=self.protocol_type, protocols=tuple((name, said) for name in self.names),
            reason=chance.pick((None, "because")), needs_member_id=chance.once_in(2),
            can_skip_assignment=chance.once_in(2), topics=facts, looked_up=frozenset(self.topics),
        )  # fmt: skip

    def _sync(self, joined: Joined) -> events.Event:
        self.is_busy = True
        named = self.life.chance.once_in(2)
        return events.SyncGroup(
            ticket=self.life.ticket(self), generation_id=self.generation, member_id=self.member_id,
            instance_id=self.instance_id, assignments=self._shares(joined), names_protocol=named,
            protocol_type=joined.protocol_type if named else None,
            protocol_name=joined.protocol_name if named else None,
        )  # fmt: skip

    def _odd_sync(self) -> Iterator[events.Event]:
        chance = self.life.chance
        yield events.SyncGroup(
            ticket=self.life.ticket(self), generation_id=self.generation, member_id=self.member_id,
            instance_id=self.instance_id, names_protocol=True,
            assignments=dict.fromkeys(chance.some(("nobody", *self.life.ids()), 2), b"mine"),
            protocol_type=chance.pick((None, "consumer", "connect")),
            protocol_name=chance.pick((None, "range", "roundrobin")),
        )  # fmt: skip

    def _shares(self, joined: Joined) -> dict[str, bytes]:
        """Partitions in turn to the topic's subscribers; unreadable metadata subscribes to none."""
        read = {one.member_id: subscription_of(one.metadata) for one in joined.members}
        given: dict[str, set[tuple[str, int]]] = {member_id: set() for member_id in read}
        for topic in TOPICS:
            takers = sorted(m for m, said in read.items() if said and topic in said.topics)
            for p in range(self.life.counts.get(topic, 0) if takers else 0):
                given[takers[p % len(takers)]].add((topic, p))
        return {m: assignment_of(frozenset(parts), 1) for m, parts in given.items()}

    def _beat(self) -> Iterator[events.Event]:
        if self.life.chance.once_in(3):
            yield self.commit()
            return
        life = self.life
        view = life.group.heartbeat_view()
        code = view.heartbeat(self.member_id, self.instance_id, self.generation, life.now)
        life.heard(f"{self.name} {code.name}")
        self._obey(code)

    def hear(self, reply: Reply) -> None:
        if isinstance(reply, Joined | Synced):
            self.is_busy = False
            self._answered(reply)

    def _answered(self, reply: Joined | Synced) -> None:
        if reply.error is ErrorCode.MEMBER_ID_REQUIRED and isinstance(reply, Joined):
            self.member_id = reply.member_id
        elif reply.error is not ErrorCode.NONE:
            self._obey(reply.error)
        elif isinstance(reply, Joined):
            self.member_id, self.generation = reply.member_id, reply.generation_id
            self.joined, self.works = reply, False
        else:
            self.joined, self.works = None, True

    def _obey(self, code: ErrorCode) -> None:
        if code is ErrorCode.NONE or code in ASK_AGAIN:
            return
        self.joined, self.works = None, False
        if code not in (ErrorCode.REBALANCE_IN_PROGRESS, ErrorCode.ILLEGAL_GENERATION):
            self.forget()
