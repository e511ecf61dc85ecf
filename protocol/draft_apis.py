"""The table of APIs of the 0.9 draft's listener: versions and handlers.

The server reads it like ``protocol.apis``; a connection keeps one table for life, so a request is
never confused with today's API of the same key and version. Keys from 10000 on are Rollcall's own
and the same in both: operators' orders (docs/pause.md).
"""

from collections.abc import Mapping

from protocol.apis import APIS
from protocol.handlers.draft import (
    consumer_metadata,
    heartbeat,
    join_group,
    leave_group,
    metadata,
    offset_commit,
    offset_fetch,
)
from protocol.requests.api_row import Api, Handler, api_of
from protocol.requests.draft_errors import number_of
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
