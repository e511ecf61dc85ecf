"""Replies about several groups that may not fit into one reply."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar

from groups.core.errors import ErrorCode
from protocol.requests.call import Call
from rollcall.wire.limits import REPLY_BYTES_MAX

AGAIN: Final = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
"""For what does not fit into the reply. Clients then ask again for it."""

G = TypeVar("G")


async def as_many_as_fit(
    group_ids: Sequence[str],
    call: Call,
    describe: Callable[[str], Awaitable[G]],
    size: Callable[[G], int],
    again: Callable[[str], G],
) -> list[G]:
    """Each group independently, in the request's order. The first one that does not fit, and all
    after it, are ``again``; a single one is sent whatever its size."""
    groups, room = list[G](), REPLY_BYTES_MAX
    async for group_id in call.each(group_ids):
        if room >= 0:
            group = await describe(group_id)
            room -= size(group)
        if room < 0 and groups:
            group = again(group_id)
        groups.append(group)
    return groups
