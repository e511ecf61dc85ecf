"""The fast path for fetches of offsets: members that start at once, after a restart of theirs or of
a node, fetch at once, too.

A fetch of some partitions of one group that this node serves becomes part of the next statement
(``groups.runtime.offset_reads``) when it arrives, and its reply is written when that was read.
Others go to the queue, where the handler (``handlers.offset_fetch``) makes the same checks and
answers with the errors. Whoever watches lags fetches the same again and again: the last frame is
kept with what was read for it and the reply. The same bytes are not parsed, and the same rows not
encoded; they are read each time. What this saves: docs/hot-path.md.
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
from protocol.fast_paths.short_frames import CORRELATION_ID, FRAME_BYTES_MAX, request_in
from protocol.handlers import offset_fetch
from protocol.handlers.support import found_offsets, validation
from protocol.handlers.support.found_offsets import GroupOffsets
from protocol.limits.metering import ClientMeter
from protocol.requests.session import Session
from rollcall.wire.codec import encode, response_frame
from rollcall.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchResponse,
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


@dataclass(slots=True)
class Fetch:
    """What a frame, without its length, asks for. ``changes``: the catalogue's, when the ``names``
    of the group's topics were looked up. ``read`` and ``body``: the last rows and their reply, if
    it is short."""

    frame: bytes
    version: int
    client_id: str | None
    group: OffsetFetchRequestGroup
    names: Sequence[str | None]
    some: Some
    changes: int
    read: Read | None = None
    body: bytes = b""

    def is_repeated_by(self, frame: bytes) -> bool:
        """Whether the frame is the same but for its correlation id."""
        after, before = CORRELATION_ID.stop, CORRELATION_ID.start
        return frame[after:] == self.frame[after:] and frame[:before] == self.frame[:before]


class FetchFastPath:
    """One connection's pending fetch, if any: it takes the place of a future in ``OffsetReads``.

    ``write`` sends the reply; ``ended`` is called after it: the connection may continue. If there
    can be none, ``failed`` is called instead.
    """

    __slots__ = (
        *("_ended", "_failed", "_meter", "_server", "_session", "_write"),
        *("_began", "_correlation_id", "_last", "_waits"),
    )

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
        self._last: Fetch | None = None
        self._waits = False
        self._correlation_id = 0
        self._began = 0.0  # ``time.monotonic()``

    def take(self, frame: bytes) -> bool:
        """Whether the frame (without its length, its key is ``OFFSET_FETCH``) is a fetch that will
        be read by the next statement."""
        if len(frame) > SMALL_BYTES and self._server.turns.is_over:
            return False
        catalogue, fetch = self._server.node.catalogue, self._last
        if fetch is None or fetch.changes != catalogue.changes or not fetch.is_repeated_by(frame):
            self._last = fetch = self._parsed(frame)
        try:
            if fetch is None or not self._may(fetch):
                return False
        except Refuse:
            return False  # the queue answers with the error
        self._waits, self._began = True, monotonic()
        self._correlation_id = int.from_bytes(frame[CORRELATION_ID], "big", signed=True)
        self._server.node.offset_reads.add(fetch.some, self)
        return True

    def _parsed(self, frame: bytes) -> Fetch | None:
        """What the frame asks for, unless that is nothing for this path."""
        found = request_in(frame, OffsetFetchRequest)
        if found is None:
            return None
        (_, version, _, client_id), request = found
        group, catalogue = _only_group(request, version), self._server.node.catalogue
        if group is None or not group.topics:
            return None
        names = found_offsets.names(group.topics, version, catalogue)
        partitions = found_offsets.partitions(group.topics, names)
        if len(partitions) > PARTITIONS_MAX:
            return None
        some = Some(group.group_id, partitions, request.require_stable)
        return Fetch(frame, version, client_id, group, names, some, catalogue.changes)

    def _may(self, fetch: Fetch) -> bool:
        """Whether the group is served here, and the client may fetch."""
        node, group = self._server.node, fetch.group
        if self._is_looked_at(fetch.client_id):
            return False
        validation.group_id(group.group_id, node.settings, may_be_empty=True)
        return (
            node.coordinator.serves(slot_of(group.group_id))
            and offset_fetch.reader_error(group, node) is ErrorCode.NONE
        )

    def _is_looked_at(self, client_id: str | None) -> bool:
        """Whether the client's rights are asked, or its requests counted by a quota."""
        return self._session.access.is_on or self._meter.counts(client_id)

    # -- what was read

    def done(self) -> bool:
        """Whether no fetch waits: its client has gone, or it was answered."""
        return not self._waits

    def set_result(self, read: Read, /) -> None:
        """The rows have been read: write the reply."""
        fetch = self._last
        if fetch is None or not self._waits:
            return
        try:
            body = fetch.body if read == fetch.read else self._encoded(fetch, read)
            self._answer(fetch, body, ErrorCode.NONE)
        except Exception as error:  # as in the queue; raised here it would end the node
            self._waits = False
            self._failed(error)

    def set_exception(self, error: Exception, /) -> None:
        """The rows could not be read: clients ask again."""
        fetch = self._last
        if fetch is not None and self._waits:
            logger.warning("offsets of %r could not be read: %s", fetch.group.group_id, error)
            nothing = GroupOffsets(ErrorCode.NOT_COORDINATOR)
            response = found_offsets.response(fetch.group, nothing, fetch.version)
            self._answer(fetch, encode(response, fetch.version), response.error_code)

    def cancel(self) -> None:
        """The server stops; it closes its connections."""
        self._waits = False

    forget = cancel
    """The connection has ended."""

    def _encoded(self, fetch: Fetch, read: Read) -> bytes:
        """The reply's body, which is kept if it is short."""
        found = found_offsets.found(fetch.group.topics or (), fetch.names, *read)
        body = encode(found_offsets.response(fetch.group, found, fetch.version), fetch.version)
        if len(body) <= FRAME_BYTES_MAX:
            fetch.read, fetch.body = read, body
        return body

    def _answer(self, fetch: Fetch, body: bytes, error: int) -> None:
        self._waits = False
        self._server.count(API, monotonic() - self._began, error)
        is_flexible = OffsetFetchResponse.flexible(fetch.version)
        self._write(response_frame(self._correlation_id, body, is_flexible))
        self._ended()


def _only_group(request: OffsetFetchRequest, version: int) -> OffsetFetchRequestGroup | None:
    """The group that is asked for; None if there are several."""
    if version < found_offsets.SEVERAL_GROUPS_SINCE:
        return found_offsets.one_group(request)
    return request.groups[0] if len(request.groups) == 1 else None
