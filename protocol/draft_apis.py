"""The table of the 0.9 draft's listener: every API of it, its versions, its handler.

The same server reads it as it reads ``protocol.apis``; a connection has one table for life, so
that no request is ever taken for the one that has its key and version today. Keys from 10000 on
are Rollcall's own and the same in both: operators' orders (docs/pause.md).
"""

from collections.abc import Mapping

from groups.core.draft.errors import number_of
from protocol.apis import APIS, Api, Handler, api_of
from protocol.handlers.draft import (
    consumer_metadata,
    heartbeat,
    join_group,
    leave_group,
    metadata,
    offset_commit,
    offset_fetch,
)
from rollcall.wire.messages.draft import DRAFT_MESSAGES


def _api(key: int, handle: Handler) -> Api:
    return api_of(DRAFT_MESSAGES[key], handle, number_of)


DRAFT_APIS: Mapping[int, Api] = {
    api.key: api
    for api in (
        _api(3, metadata.handle),
        _api(8, offset_commit.handle),
        _api(9, offset_fetch.handle),
        _api(10, consumer_metadata.handle),
        _api(11, join_group.handle),
        _api(12, heartbeat.handle),
        _api(13, leave_group.handle),
        APIS[10001],
        APIS[10002],
    )
}
