"""Operators' orders: one long poll to the coordinator while it is a member.

It decides nothing: an order is passed to ``obey``, and acknowledged when that has returned. If the
coordinator does not advertise the poll, it is not sent, and that is checked again now and then.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

from rollcall.client.cluster import ORDERS, ClusterClient
from rollcall.client.connection import Broken, Unspoken
from rollcall.client.core.backoff import Backoff
from rollcall.client.core.events import Standing
from rollcall.client.core.pausing import Order
from rollcall.client.tasks import Tasks
from rollcall.wire.messages.acknowledge_command import (
    AcknowledgeCommandRequest,
    AcknowledgeCommandResponse,
)
from rollcall.wire.messages.poll_commands import Command, PollCommandsRequest, PollCommandsResponse

Answer = TypeVar("Answer", PollCommandsResponse, AcknowledgeCommandResponse)

STOP: Final = "stop-fetcher"

ORDERS_FROM: Final = 2**62
"""What a member without orders obeys: the ids of operators' orders begin here."""

WAIT_MS: Final = 120_000
"""How long a poll waits without news."""

SPARE_S: Final = 10.0
"""How much later a response may arrive before the connection counts as dead."""

UNSPOKEN_S: Final = 30.0
"""The pause before checking again whether the coordinator supports the poll."""

FIRST_S: Final = 1.0
"""How long a member's first work waits for the response whether it may begin. Then it begins: a
coordinator that assigns but does not answer stops no member."""


class Orders:
    """``standing`` is the machine's, read when needed."""

    def __init__(
        self,
        cluster: ClusterClient,
        group: str,
        backoff: Backoff,
        standing: Callable[[], Standing],
        obey: Callable[[Order | None], Coroutine[Any, Any, None]],
        tasks: Tasks,
    ) -> None:
        self._cluster = cluster
        self._group = group
        self._backoff = backoff
        self._standing = standing
        self._obey = obey
        self._is_known = asyncio.Event()
        self._is_member = asyncio.Event()
        self._member_id = ""
        self._last = ORDERS_FROM
        self._tasks = tasks
        self._is_running = False
        self._poll: asyncio.Future[PollCommandsResponse] | None = None

    def look(self) -> None:
        """The machine's state has changed: a poll of a member that does not exist any more is
        abandoned."""
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
        if not self._is_running:
            self._is_running = True
            self._tasks.start(self._run())

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
                await self._turn()
            except Unspoken:
                self._is_known.set()
                await asyncio.sleep(UNSPOKEN_S)
            except OSError:
                self._cluster.forget_orders()
                await asyncio.sleep(self._backoff.next() / 1000)

    async def _turn(self) -> None:
        """Poll once, obey, and acknowledge."""
        answer = await self._request()
        if answer is None:
            return  # the member has ended, or is another one
        for command in answer.commands:
            await self._do(command)
        self._is_known.set()
        self._backoff.reset()
        if answer.commands:
            request = AcknowledgeCommandRequest(
                group_id=self._group, member_id=self._member_id, command_id=self._last
            )
            _good(await self._cluster.request(ORDERS, request, SPARE_S))

    async def _request(self) -> PollCommandsResponse | None:
        """The response of one poll; None if it was abandoned."""
        wait_ms = WAIT_MS if self._is_known.is_set() else 0
        request = PollCommandsRequest(
            group_id=self._group,
            member_id=self._member_id,
            last_command_id=self._last,
            max_wait_ms=wait_ms,
        )
        wait_s = wait_ms / 1000 + SPARE_S
        self._poll = poll = asyncio.ensure_future(self._cluster.request(ORDERS, request, wait_s))
        try:
            await asyncio.wait([poll])
        finally:
            self._poll = None
            poll.cancel()
        return None if poll.cancelled() else _good(poll.result())

    async def _do(self, command: Command) -> None:
        """Obey; the application's call is never cancelled."""
        order = None
        if command.option == STOP:
            order = Order(command.command_id, command.reason or "")
        obeying = self._tasks.start(self._obey(order))
        # Work that waits to begin waits for the order, not for the application's call.
        await asyncio.sleep(0)
        self._is_known.set()
        await asyncio.shield(obeying)
        self._last = command.command_id


def _good(answer: Answer) -> Answer:
    """The response; raises ``Broken`` for an error that means that orders cannot be polled now."""
    if answer.error_code:
        raise Broken(f"no commands: error {answer.error_code}")
    return answer
