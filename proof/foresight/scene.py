"""A group of one kind with the members of Rollcall's library, and what REST says about it."""

import asyncio
import time
from collections.abc import Mapping
from random import Random
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import httpx

from rollcall.client import Member

SPEAKS: Final[Mapping[str, Mapping[str, Any]]] = {
    "range": {"protocol": "classic", "assignor": "range"},
    "roundrobin": {"protocol": "classic", "assignor": "roundrobin"},
    "sticky": {"protocol": "classic", "assignor": "sticky"},
    "cooperative-sticky": {"protocol": "classic", "assignor": "cooperative-sticky"},
    "uniform": {"protocol": "consumer"},
    "consumer-range": {"protocol": "consumer", "assignor": "range"},
    "draft": {"protocol": "draft"},
    "commanded": {"protocol": "commanded", "threads": 2},
}
"""What the library is told, by the sort of group."""

SESSION_MS: Final = 10_000
SETTLED_S: Final = 180.0
LOOK_S: Final = 0.15
AGAIN_MAX: Final = 30
CALM: Final = 4
"""So many looks in sequence have to find the same: a group that waits is not settled."""


class Where(NamedTuple):
    """An installation."""

    kafka: str
    draft: str
    web: str
    token: str


Owned = Mapping[str, frozenset[tuple[str, int]]]
"""Partitions by member id."""


class Scene:
    """One group."""

    def __init__(self, where: Where, sort: str, name: str, rng: Random) -> None:
        self.where, self.sort, self.name, self.rng = where, sort, name, rng
        self.members: list[Member] = []
        self.partitions = rng.randrange(7, 20)
        self.drained: set[str] = set()
        self.generation = 0
        """When it was last settled."""
        self._made = 0
        headers = {"Authorization": f"Bearer {where.token}"}
        self.rest = httpx.AsyncClient(
            base_url=f"{where.web.rstrip('/')}/api/v1/", headers=headers, timeout=30
        )
        self.path = f"groups/{quote(name, safe='')}"

    @property
    def is_classic(self) -> bool:
        """Whether its leader assigns."""
        return bool(SPEAKS[self.sort]["protocol"] == "classic")

    async def begin(self, members: int) -> None:
        """Members join, and the group settles."""
        topic = {"name": self.name, "partitions": self.partitions}
        await self.ask("POST", "topics", json=topic)
        for _ in range(members):
            await self.enter()
        await self.settled()

    async def enter(self) -> None:
        """One more member."""
        self._made += 1
        is_draft = SPEAKS[self.sort]["protocol"] == "draft"
        member = Member(
            self.where.draft if is_draft else self.where.kafka,
            self.name,
            [self.name],
            client_id=f"w-{self._made}",
            session_timeout_ms=SESSION_MS,
            heartbeat_interval_ms=500,
            heartbeat_frequency=20,
            **SPEAKS[self.sort],
        )
        await member.start()
        self.members.append(member)

    async def end(self) -> None:
        """Everybody leaves."""
        await asyncio.gather(*(member.close(5) for member in self.members), return_exceptions=True)
        await self.rest.aclose()

    async def ask(self, method: str, path: str, **more: Any) -> Any:
        """A request and its JSON. A busy server is asked again: nothing happened then."""
        for _ in range(AGAIN_MAX):
            answer = await self.rest.request(method, path, **more)
            if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                break
            await asyncio.sleep(1)
        answer.raise_for_status()
        return answer.json()

    async def _is_there(self) -> bool:
        """Whether the group exists: a member that has started may not have joined yet."""
        return (await self.rest.request("GET", self.path)).is_success

    async def get(self, path: str = "", **query: Any) -> Any:
        """A resource of the group."""
        return await self.ask("GET", f"{self.path}{path}", params=query)

    async def operate(self, path: str, method: str = "POST") -> Mapping[str, Any]:
        """Request an operation; the prediction that its row keeps."""
        body = {"reason": "foreseen"}
        operation: Mapping[str, Any] = await self.ask(method, f"{self.path}{path}", json=body)
        return operation["prediction"] or {}

    async def owned(self) -> Owned:
        """Who owns what, by the rows."""
        rows = (await self.get("/members", page_size=200))["data"]
        return {
            row["member_id"]: frozenset(
                (topic, number)
                for topic, numbers in (row["assignment"] or {}).items()
                for number in numbers
            )
            for row in rows
        }

    async def settled(self, newer_than: int | None = None) -> Owned:
        """Wait until nothing changes any more, and every partition has an owner; ``newer_than``: in
        a later generation than this."""
        deadline, calm, last = time.monotonic() + SETTLED_S, 0, None
        while not await self._is_there() and time.monotonic() < deadline:
            await asyncio.sleep(LOOK_S)
        while time.monotonic() < deadline:
            group = await self.get()
            owned = await self.owned()
            now = (group["state"], group["generation"], owned)
            is_newer = newer_than is None or group["generation"] > newer_than
            is_whole = sum(map(len, owned.values())) == self.partitions
            is_still = now == last and group["state"] == "Stable" and is_whole and is_newer
            calm, last = (calm + 1 if is_still and len(owned) == len(self.members) else 0), now
            if calm >= CALM:
                self.generation = group["generation"]
                return owned
            await asyncio.sleep(LOOK_S)
        raise TimeoutError(f"{self.name} does not settle: {last}")
