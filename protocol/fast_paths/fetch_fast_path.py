"""The fast path for fetches of offsets: members that start at once, after a restart of theirs or of
a node, fetch at once, too.

A fetch of some partitions of one group that this node serves becomes part of the next statement
(``groups.runtime.offset_reads``) when it arrives, and its reply is written when that was read.
Others go to the queue, where the handler (``handlers.offset_fetch``) makes the same checks and
answers with the errors. What this saves: docs/hot-path.md.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Final

from groups.core.errors import ErrorCode, Refuse
from groups.core.rows import slot_of
from groups.store.offsets import Read, Some
from protocol.fast_paths.host import Host
from protocol.fast_paths.short_frames import request_in
from protocol.handlers import offset_fetch
from protocol.handlers.support import found_offsets, validation
from protocol.handlers.support.found_offsets import GroupOffsets
from protocol.limits.metering import ClientMeter
from protocol.requests.session import Session
from rollcall.wire.codec import encode
from rollcall.wire.frames import RequestHeader, response_frame
from rollcall.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
)

logger = logging.getLogger(__name__)

API: Final = "OffsetFetch"
OFFSET_FETCH: Final = (9).to_bytes(2, "big")
"""The first bytes of such a frame: the API key."""

SMALL_BYTES: Final = 200
"""A fetch of this size, a few topics or a few dozen partitions, is submitted even when the turn of
the loop is spent: that takes no longer than to queue it. One of 40 topics takes five times that."""

PARTITIONS_MAX: Final = 100
"""A reply for more, with the longest metadata, is so large that it has to wait for room."""


@dataclass(frozen=True, slots=True)
class PendingFetch:
    """A fetch that waits for its rows. ``began``: ``time.monotonic()``."""

    header: RequestHeader
    group: OffsetFetchRequestGroup
    names: Sequence[str | None]
    began: float


class FetchFastPath:
    """One connection's pending fetch, if any: it takes the place of a future in ``OffsetReads``.

    ``write`` sends the reply; ``ended`` is called after it: the connection may continue. If there
    can be none, ``failed`` is called instead.
    """

    __slots__ = ("_ended", "_failed", "_meter", "_server", "_session", "_write", "under_way")

    def __init__(
        self,
        server: Host,
        session: Session,
        meter: ClientMeter,
        write: Callable[[bytes], None],
        ended: Callable[[], None],
        failed: Callable[[BaseException], None],
    ) -> None:
        self._server = server
        self._session = session
        self._meter = meter
        self._write = write
        self._ended = ended
        self._failed = failed
        self.under_way: PendingFetch | None = None

    def take(self, frame: bytes) -> bool:
        """Whether the frame (without its length, its key is ``OFFSET_FETCH``) is a fetch that will
        be read by the next statement."""
        if len(frame) > SMALL_BYTES and self._server.turns.is_over:
            return False
        found = request_in(frame, OffsetFetchRequest)
        try:
            return found is not None and self._check(*found)
        except Refuse:
            return False  # the queue answers with the error

    def _check(self, header: RequestHeader, request: OffsetFetchRequest) -> bool:
        node, group = self._server.node, _only_group(request, header.api_version)
        if group is None or not group.topics or self._is_looked_at(header.client_id):
            return False
        validation.group_id(group.group_id, node.settings, may_be_empty=True)
        if not node.coordinator.serves(slot_of(group.group_id)):
            return False
        if offset_fetch.reader_error(group, node) is not ErrorCode.NONE:
            return False
        names = found_offsets.names(group.topics, header.api_version, node.catalogue)
        partitions = found_offsets.partitions(group.topics, names)
        if len(partitions) > PARTITIONS_MAX:
            return False
        self.under_way = PendingFetch(header, group, names, monotonic())
        node.offset_reads.add(Some(group.group_id, partitions, request.require_stable), self)
        return True

    def _is_looked_at(self, client_id: str | None) -> bool:
        """Whether the client's rights are asked, or its requests counted by a quota."""
        return self._session.access.is_on or self._meter.counts(client_id)

    # -- what was read

    def done(self) -> bool:
        """Whether no fetch waits: its client has gone, or it was answered."""
        return self.under_way is None

    def set_result(self, read: Read, /) -> None:
        """The rows have been read: write the reply."""
        fetch = self.under_way
        if fetch is None:
            return
        try:
            topics = fetch.group.topics or ()
            self._answer(fetch, found_offsets.found(topics, fetch.names, *read))
        except Exception as error:  # as in the queue; raised here it would end the node
            self.under_way = None
            self._failed(error)

    def set_exception(self, error: Exception, /) -> None:
        """The rows could not be read: clients ask again."""
        fetch = self.under_way
        if fetch is not None:
            logger.warning("offsets of %r could not be read: %s", fetch.group.group_id, error)
            self._answer(fetch, GroupOffsets(ErrorCode.NOT_COORDINATOR))

    def cancel(self) -> None:
        """The server stops; it closes its connections."""
        self.under_way = None

    forget = cancel
    """The connection has ended."""

    def _answer(self, fetch: PendingFetch, found: GroupOffsets) -> None:
        self.under_way = None
        version = fetch.header.api_version
        response = found_offsets.response(fetch.group, found, version)
        body = encode(response, version)
        self._server.count(API, monotonic() - fetch.began, response.error_code)
        flexible = bool(response.flexible(version))
        self._write(response_frame(fetch.header.correlation_id, body, flexible))
        self._ended()


def _only_group(request: OffsetFetchRequest, version: int) -> OffsetFetchRequestGroup | None:
    """The group that is asked for; None if there are several."""
    if version < found_offsets.SEVERAL_GROUPS_SINCE:
        return found_offsets.one_group(request)
    return request.groups[0] if len(request.groups) == 1 else None
