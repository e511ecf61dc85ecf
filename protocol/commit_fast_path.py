"""Offset commits, most of what a busy node does, without the connection's application.

A commit of which everything is known at once (its group is served here, its topics are in the
catalogue, nothing about it is to be refused) becomes its event as it arrives, and its reply is
written as it is decided. Whatever is more than that goes to the queue, where the handler
(``handlers.offset_commit``) has the same checks and the words for what is wrong.
What this saves: docs/hot-path.md.
"""

from collections.abc import Callable
from struct import Struct

from groups.catalogue.cache import Entry
from groups.core.acls.bindings import Operation, ResourceType
from groups.core.authors import Author
from groups.core.errors import Refuse
from groups.core.events import Ticket
from groups.core.replies import Reply
from groups.core.rows import slot_of
from protocol.handlers import offset_commit
from protocol.handlers.support import validation
from protocol.host import Host
from protocol.metering import ClientMeter
from protocol.session import Session
from rollcall.wire.codec import decode, encode
from rollcall.wire.errors import WireError
from rollcall.wire.frames import RequestHeader, parse_header, response_frame
from rollcall.wire.messages.offset_commit import OffsetCommitRequest, OffsetCommitResponse

_VERSION = Struct(">h")
KEY_BYTES = 2
OFFSET_COMMIT = (8).to_bytes(KEY_BYTES, "big")
"""How such a frame begins."""
FIRST, LAST = OffsetCommitRequest.versions
TOPIC_IDS_SINCE = offset_commit.TOPIC_IDS_SINCE

FRAME_BYTES_MAX = 4 * 1024
"""Larger ones have many partitions: they take their turn in the queue."""


class CommitFastPath:
    """One connection's commit under way, if any: ``done`` until one is, and after its reply.

    It stands among the server's pending replies like the future of a request in the queue.
    ``write`` sends a reply; ``ended`` is called after it: the connection may go on.
    """

    __slots__ = (
        "_ended",
        "_header",
        "_host",
        "_meter",
        "_number",
        "_server",
        "_session",
        "_ticket",
        "_write",
        "under_way",
    )

    def __init__(
        self,
        server: Host,
        number: int,
        session: Session,
        meter: ClientMeter,
        write: Callable[[bytes], None],
        ended: Callable[[], None],
    ) -> None:
        self._server = server
        self._number = number
        self._session = session
        self._meter = meter
        self._write = write
        self._ended = ended
        self._host = ""
        self._header: RequestHeader | None = None
        self.under_way: OffsetCommitRequest | None = None
        """The commit that waits for its reply, if any: nothing after it may be answered before."""
        self._ticket = Ticket(number, 0)

    def connected(self, client_host: str) -> None:
        """From where the client speaks, for the history of offsets."""
        self._host = client_host

    def take(self, frame: bytes, sequence: int) -> bool:
        """Whether the frame (without its length, its key is ``OFFSET_COMMIT``) is a commit that is
        now under way; ``sequence``: which request of the connection it is."""
        if not KEY_BYTES + _VERSION.size <= len(frame) <= FRAME_BYTES_MAX:
            return False
        (version,) = _VERSION.unpack_from(frame, KEY_BYTES)
        if not FIRST <= version <= LAST or self._server.turns.is_over:
            return False
        try:
            header, body = parse_header(frame, _flexible)
            request = decode(OffsetCommitRequest, version, frame, body)
            return self._submit(header, request, Ticket(self._number, sequence))
        except (WireError, Refuse):
            return False  # the queue says what is wrong with it

    def _submit(self, header: RequestHeader, request: OffsetCommitRequest, ticket: Ticket) -> bool:
        node, group_id = self._server.node, request.group_id
        settings, coordinator = node.settings, node.coordinator
        validation.group_id(group_id, settings)
        if self._meter.quotas.of_clients and self._meter.counts(header.client_id):
            return False
        if not coordinator.serves(slot_of(group_id)) or offset_commit.is_outsider(request):
            return False
        entries = self._entries(request, header.api_version)
        if not entries or group_id in coordinator.own.buckets or group_id in coordinator.full:
            return False
        who = None
        if node.totals.keeps_history:
            named = offset_commit.member_named(request)
            client_id = validation.shown(header.client_id or "")
            who = Author(named, client_id, self._host, self._session.principal)
        version = header.api_version
        codes, writes = offset_commit.sort(request, version, entries, settings, who)
        if not writes or any(any(judged) for judged in codes):
            return False
        self._header, self.under_way, self._ticket = header, request, ticket
        self._server.pending_replies.open(ticket, self)
        coordinator.submit(group_id, offset_commit.asked(request, version, ticket, writes))
        return True

    def _entries(self, request: OffsetCommitRequest, version: int) -> list[Entry]:
        """Each topic's, as far as this node knows; empty where one is missing."""
        catalogue = self._server.node.catalogue
        if version < TOPIC_IDS_SINCE:
            found = [catalogue.get(topic.name) for topic in request.topics]
        else:
            found = [catalogue.by_id(topic.topic_id) for topic in request.topics]
        known = [entry for entry in found if entry is not None]
        return known if len(known) == len(found) else []

    def done(self) -> bool:
        """Whether nobody waits for the reply."""
        return self.under_way is None

    def set_result(self, result: Reply, /) -> None:
        """The reply has come: write it."""
        request, header = self.under_way, self._header
        if request is None or header is None:
            return
        self.under_way = None
        self._server.coordinator.tallies.commits[result.error] += 1
        response = offset_commit.response(request, lambda _t, _p: result.error, ())
        self._write(_frame(header, response))
        self._ended()

    def forget(self) -> None:
        """The connection is over."""
        self.under_way = None
        self._server.pending_replies.close(self._ticket)


class JudgedCommitFastPath(CommitFastPath):
    """Where an authorizer is on: what a client may not commit goes to the queue, which says so."""

    __slots__ = ()

    def _submit(self, header: RequestHeader, request: OffsetCommitRequest, ticket: Ticket) -> bool:
        may = self._session.access.may
        return may(Operation.READ, ResourceType.GROUP, request.group_id) and super()._submit(
            header, request, ticket
        )

    def _entries(self, request: OffsetCommitRequest, version: int) -> list[Entry]:
        entries, may = super()._entries(request, version), self._session.access.may
        if all(may(Operation.READ, ResourceType.TOPIC, entry.name) for entry in entries):
            return entries
        return []


def _frame(header: RequestHeader, response: OffsetCommitResponse) -> bytes:
    version = header.api_version
    body = encode(response, version)
    return response_frame(header.correlation_id, body, bool(response.flexible(version)))


def _flexible(_key: int, version: int) -> bool:
    return bool(OffsetCommitRequest.flexible(version))
