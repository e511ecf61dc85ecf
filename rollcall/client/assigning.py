"""A member assigns for its whole group: reads the group's state, runs the assignor, installs the
result.

It has its own connection, so that heartbeats do not wait for it, and its own thread, so that an
assignor that takes long (or never ends) blocks neither heartbeats nor the end of the program. Each
heartbeat's response says whether this member should assign: so after an error it stops, and starts
again when the next response says so.
"""

import logging
from collections.abc import Sequence
from typing import Any, Final

from rollcall.client.assignors.own import ClientAssignor
from rollcall.client.cluster import ASSIGNING, ClusterClient
from rollcall.client.core import assigning
from rollcall.client.core.assigning import Next
from rollcall.client.core.events import Standing
from rollcall.client.threads import in_thread
from rollcall.wire.declare import Message
from rollcall.wire.messages.consumer_group_prepare_assignment import (
    ConsumerGroupPrepareAssignmentResponse,
)

ROUNDS_MAX: Final = 100
"""How often it reads a group that changes faster than it can be assigned; then the next heartbeat
decides."""

log = logging.getLogger("rollcall.client")


class Assigning:
    """At most one assignment at a time; further requests meanwhile are ignored."""

    def __init__(self, cluster: ClusterClient) -> None:
        self._cluster = cluster
        self._is_busy = False

    async def run(
        self, group: str, standing: Standing, own: Sequence[ClientAssignor], wait_s: float
    ) -> None:
        """Assign, again if the group has changed meanwhile."""
        if self._is_busy:
            return
        self._is_busy = True
        try:
            for _ in range(ROUNDS_MAX):
                if await self._once(group, standing, own, wait_s) is not Next.PREPARE:
                    break
        except OSError as error:
            log.warning("%s: not assigned: %s", group, error)
        finally:
            self._is_busy = False

    async def _once(
        self, group: str, standing: Standing, own: Sequence[ClientAssignor], wait_s: float
    ) -> Next:
        answer = await self._request(assigning.prepare(group, standing), wait_s)
        named = {each.name: each for each in own}
        if answer.error_code or answer.assignor_name not in named:
            return Next.STOP
        assignor = named[answer.assignor_name]
        try:
            message = await in_thread(
                lambda: _assigned(group, standing, answer, assignor), "assignor"
            )
        except Exception as error:
            log.exception("%s: the assignor %s failed", group, assignor.name)
            return await self._give_up(group, standing, answer, repr(error), wait_s)
        verdict = await self._request(message, wait_s)
        what = assigning.INSTALLED.get(verdict.error_code, Next.STOP)
        if what is Next.GIVE_UP:
            log.error("%s: the assignor %s: %s", group, assignor.name, verdict.error_message)
            return await self._give_up(group, standing, answer, verdict.error_message, wait_s)
        return what

    async def _give_up(
        self,
        group: str,
        standing: Standing,
        answer: ConsumerGroupPrepareAssignmentResponse,
        why: str,
        wait_s: float,
    ) -> Next:
        await self._request(assigning.give_up(group, standing, answer, why), wait_s)
        return Next.STOP

    async def _request(self, message: Message, wait_s: float) -> Any:
        return await self._cluster.request(ASSIGNING, message, wait_s)


def _assigned(
    group: str,
    standing: Standing,
    answer: ConsumerGroupPrepareAssignmentResponse,
    assignor: ClientAssignor,
) -> Message:
    shares = assignor.assign(assigning.view_of(answer))
    return assigning.install(group, standing, answer, shares)
