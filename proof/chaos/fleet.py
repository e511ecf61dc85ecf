"""Hundreds of members in one process: groups of both protocols over one topic.

Starts, stops and pauses members; ``classic`` and ``consumer`` define their behaviour.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from benchmarks.wire import create_topic
from proof.chaos.classic import ClassicMember
from proof.chaos.commanded import CommandedMember
from proof.chaos.consumer import ConsumerMember
from proof.chaos.draft import DraftMember, DraftNetwork
from proof.chaos.member import Member
from proof.chaos.network import Network, call
from proof.chaos.record import Record
from proof.simulation import odd
from rollcall.wire.messages.metadata import MetadataRequest, MetadataRequestTopic

METADATA_VERSION = 10

TOPIC = "work"

KINDS = ("classic", "consumer")
"""Of which there are big and odd groups."""

CLASSES: Final[Mapping[str, type[Member]]] = {
    "classic": ClassicMember,
    "cooperative": ClassicMember,
    "consumer": ConsumerMember,
    "draft": DraftMember,
    "commanded": CommandedMember,
}
"""The members of each kind of group; of cooperative ones the protocol is the classic one."""

BIG = "big"
ODD = odd.NAME
"""The endings of the names of big and of odd groups."""


@dataclass(frozen=True, slots=True)
class Size:
    """How many groups of each kind, of how many members, and with which timeouts.

    Sessions and heartbeat intervals are drawn from ranges; a heartbeat interval is never more than
    a third of its session, as stock clients require. ``big``: members of one more group of each
    kind; ``is_odd``: one more group of each kind has an odd name, and commits odd values.
    """

    classic_groups: int = 3
    consumer_groups: int = 1
    cooperative_groups: int = 0
    draft_groups: int = 0
    commanded_groups: int = 0
    members: int = 4
    partitions: int = 12
    session_s: tuple[float, float] = (6.0, 10.0)
    beats_s: tuple[float, float] = (0.5, 3.0)
    consumer_session_s: float = 8.0
    """In the consumer protocol the broker sets the session timeout (``world.SETTINGS``)."""
    big: int = 0
    is_odd: bool = False


class Fleet:
    """``record`` fills while the members run. ``drafts``: the listeners of the 0.9 draft."""

    def __init__(
        self,
        network: Network,
        size: Size,
        rng: Random,
        prefix: str = "group",
        drafts: Sequence[str] = (),
    ) -> None:
        self.network = network
        self.draft_network = DraftNetwork.beside(network, drafts)
        self.size = size
        self.rng = rng
        self.record = Record()
        self.members: list[Member] = []
        self.tasks: dict[Member, asyncio.Task[None]] = {}
        kinds = [kind for kind in CLASSES for _ in range(getattr(size, f"{kind}_groups"))]
        self.groups = {f"{prefix}-{kind}-{n}": kind for n, kind in enumerate(kinds)}
        more = [BIG] * bool(size.big) + [ODD] * size.is_odd
        self.groups |= {f"{prefix}-{kind}-{name}": kind for name in more for kind in KINDS}

    async def start(self) -> None:
        """Create the topic and start all members; see ``settle``."""
        bootstrap = self.network.bootstraps[0]
        await create_topic(bootstrap, TOPIC, self.size.partitions)
        peer = await self.network.connect(bootstrap)
        request = MetadataRequest(topics=[MetadataRequestTopic(name=TOPIC)])
        (known,) = (await call(peer, request, METADATA_VERSION)).topics
        peer.close()
        for group_id, kind in self.groups.items():
            is_big = group_id.endswith(BIG)
            for number in range(self.size.big if is_big else self.size.members):
                member = self._member(kind, group_id, number)
                if group_id.endswith(ODD):
                    member.make_odd()
                if isinstance(member, ClassicMember):
                    member.partitions = self.size.partitions
                    member.is_cooperative = kind == "cooperative"
                if isinstance(member, ConsumerMember):
                    member.topic_id = known.topic_id
                self.add(member)

    def _member(self, kind: str, group_id: str, number: int) -> Member:
        session_s = self.rng.uniform(*self.size.session_s)
        if kind == "consumer":
            session_s = self.size.consumer_session_s
        beats_s = min(self.rng.uniform(*self.size.beats_s), session_s / 3)
        return CLASSES[kind](
            self.draft_network if kind == "draft" else self.network,
            self.record,
            f"{group_id}/{number}",
            group_id,
            TOPIC,
            session_s=session_s,
            beats_s=beats_s,
        )

    def add(self, member: Member) -> None:
        """Start a member."""
        self.members.append(member)
        self.tasks[member] = asyncio.create_task(member.run())

    def of(self, group_id: str) -> Sequence[Member]:
        """The members of one group."""
        return [member for member in self.members if member.group_id == group_id]

    def replace_some(self) -> None:
        """Replace a member in about half of the groups, as deploys do that go on meanwhile; one in
        five ends without leaving."""
        for group_id in self.groups:
            if self.rng.random() < 0.5:
                leaves = self.rng.random() < 0.8
                self.rng.choice(self.of(group_id)).replace(leaves=leaves)

    @property
    def is_settled(self) -> bool:
        """Whether in every group each partition is owned by exactly one member."""
        return all(self._is_settled(self.of(group_id)) for group_id in self.groups)

    def _is_settled(self, members: Sequence[Member]) -> bool:
        shares = [member.owned for member in members]
        held = sum(map(len, shares))
        return (
            all(member.settled.is_set() for member in members)
            and held == len(frozenset().union(*shares)) == self.size.partitions
            and len({member.generation for member in members}) == 1
        )

    async def settle(self, limit_s: float) -> None:
        """Wait until every group is settled; TimeoutError names those that are not."""
        try:
            async with asyncio.timeout(limit_s):
                while not self.is_settled:
                    self.check()
                    await asyncio.sleep(0.05)
        except TimeoutError:
            restless = [g for g in self.groups if not self._is_settled(self.of(g))]
            seen = [(m.name, m.generation, sorted(m.owned)) for g in restless for m in self.of(g)]
            raise TimeoutError(f"groups did not settle in {limit_s} s: {seen}") from None

    def check(self) -> None:
        """Raise the exception of a member's task: a member never ends by itself."""
        for task in self.tasks.values():
            if task.done() and not task.cancelled():
                task.result()

    async def stop(self) -> None:
        """Stop all members, without leaving their groups."""
        for task in self.tasks.values():
            task.cancel()
        await asyncio.gather(*self.tasks.values(), return_exceptions=True)
