"""What operators want of a member: one long poll, open to the coordinator while it is a member.

It decides nothing: an order is handed to ``obey``, and what is obeyed is said with the next poll.
A coordinator that does not advertise the poll is left alone, and asked again now and then.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from protocol.messages.poll_orders import PollOrdersRequest, PollOrdersResponse
from rollcall.client.cluster import ORDERS, Cluster
from rollcall.client.connection import Unspoken
from rollcall.client.core.backoff import Backoff
from rollcall.client.core.pausing import Gate, Order
from rollcall.client.core.words import Standing

WAIT_MS: Final = 120_000
"""How long a poll is left open when there is no news."""

SPARE_S: Final = 10.0
"""By how much an answer may come later than that before the connection counts as dead."""

UNSPOKEN_S: Final = 30.0
"""When to ask again whether the coordinator has learned the poll."""

FIRST_S: Final = 1.0
"""How long a member's first work waits for the answer whether it may begin. Then it begins: a
coordinator that assigns and does not answer stops nobody."""


class Orders:
    """``standing`` is the machine's, read as it is at each moment."""

    def __init__(
        self,
        cluster: Cluster,
        group: str,
        gate: Gate,
        backoff: Backoff,
        standing: Callable[[], Standing],
        obey: Callable[[Order | None], Awaitable[None]],
    ) -> None:
        self._cluster = cluster
        self._group = group
        self._gate = gate
        self._backoff = backoff
        self._standing = standing
        self._obey = obey
        self._is_known = asyncio.Event()
        self._is_member = asyncio.Event()
        self._member_id = ""
        self._task: asyncio.Task[None] | None = None
        self._poll: asyncio.Future[PollOrdersResponse] | None = None

    def look(self) -> None:
        """The machine moved: a poll in the name of a member that is none any more is given up."""
        standing = self._standing()
        member_id = standing.member_id if standing.epoch > 0 else ""
        if member_id == self._member_id:
            return
        self._member_id = member_id
        if self._poll is not None:
            self._poll.cancel()
        if not member_id:
            self._is_member.clear()
            return
        self._is_member.set()
        if self._task is None:
            self._task = asyncio.ensure_future(self._run())

    def stop(self) -> None:
        """Ask nothing more."""
        if self._task is not None:
            self._task.cancel()

    async def known(self) -> None:
        """Wait until it is known whether there is an order, or cannot be known soon."""
        if self._is_known.is_set():
            return
        try:
            async with asyncio.timeout(FIRST_S):
                await self._is_known.wait()
        except TimeoutError:
            self._is_known.set()

    async def _run(self) -> None:
        while True:
            await self._is_member.wait()
            try:
                answer = await self._ask()
            except Unspoken:
                self._is_known.set()
                await asyncio.sleep(UNSPOKEN_S)
            except OSError:
                await self._later()
            else:
                if answer is not None:
                    await self._take(answer)

    async def _ask(self) -> PollOrdersResponse | None:
        """The answer of one poll; None where it was given up."""
        request = PollOrdersRequest(
            group_id=self._group,
            member_id=self._member_id,
            obeying=self._gate.obeying,
            max_wait_ms=WAIT_MS,
        )
        wait_s = WAIT_MS / 1000 + SPARE_S
        self._poll = poll = asyncio.ensure_future(self._cluster.ask(ORDERS, request, wait_s))
        try:
            await asyncio.wait([poll])
        finally:
            self._poll = None
            poll.cancel()
        return None if poll.cancelled() else poll.result()

    async def _take(self, answer: PollOrdersResponse) -> None:
        if answer.error_code:
            await self._later()
            return
        self._backoff.reset()
        order = None
        if answer.is_paused:
            order = Order(answer.pause_id, answer.actor, answer.reason)
        obeying = asyncio.ensure_future(self._obey(order))
        # Work that waits for this answer waits for the gate, not for the application.
        await asyncio.sleep(0)
        self._is_known.set()
        await asyncio.shield(obeying)

    async def _later(self) -> None:
        self._cluster.forget_orders()
        await asyncio.sleep(self._backoff.next() / 1000)
