"""The fast path for offset commits, most of the work of a busy node.

If everything about a commit is known in memory (this node serves its group, its topics are in the
catalogue, nothing is refused), it becomes an event when it arrives, and its reply is written when
the event is decided. Other commits go to the queue, where the handler (``handlers.offset_commit``)
makes the same checks and answers with the errors. What this saves: docs/hot-path.md.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from struct import Struct

from groups.catalogue.cache import CatalogueEntry
from groups.core.acls.bindings import AclOperation, ResourceType
from groups.core.authors import Author
from groups.core.errors import ErrorCode, Refuse
from groups.core.events import OffsetCommit, Ticket
from groups.core.quotas.index import QuotaIndex
from groups.core.replies import Reply
from groups.core.rows import slot_of
from groups.runtime.entries import Repeatable, again, repeatable
from protocol.fast_paths.host import Host
from protocol.fast_paths.short_frames import (
    CORRELATION_ID,
    KEY_BYTES,
    request_in,
)
from protocol.handlers import offset_commit
from protocol.handlers.support import validation
from protocol.limits.metering import ClientMeter
from protocol.requests.session import Session
from rollcall.wire.codec import RequestHeader, encode, response_frame
from rollcall.wire.messages.offset_commit import OffsetCommitRequest

OFFSET_COMMIT = (8).to_bytes(KEY_BYTES, "big")
"""The first bytes of such a frame: the API key."""
TOPIC_IDS_SINCE = offset_commit.TOPIC_IDS_SINCE

LEARNT_IN_VAIN_MAX = 3
"""After this many learnt commits in sequence that were not repeated, no more are learnt of this
client: its metadata is new each time."""

_new = tuple.__new__  # takes a third of the time of calling the class


@dataclass(frozen=True, slots=True)
class LastCommit:
    """A connection's last commit. Clients repeat it with other offsets and correlation ids.

    ``mask`` covers the bytes of the frame that do not change, ``same`` is their value; ``offsets``
    reads the offsets. ``event`` is the event of the commit; ``changes`` the catalogue's change
    count, ``quotas`` the quotas and ``principal`` the client when it was checked; ``reply`` the
    reply without its correlation id. ``repeatable``: what the node needs to take it again without
    an event; None: it cannot.
    """

    length: int
    mask: int
    same: int
    offsets: Callable[[bytes], tuple[int, ...]]
    group_id: str
    slot: int
    topics: Sequence[str]
    has_history: bool
    principal: str
    quotas: QuotaIndex
    changes: int
    event: OffsetCommit
    repeatable: Repeatable | None
    reply: tuple[bytes, bytes]


class CommitFastPath:
    """One connection's pending commit, if any; ``done`` is true before the first and after each
    reply.

    It is registered in the server's pending replies like the future of a queued request. ``write``
    sends a reply; ``ended`` is called after it: the connection may continue.

    A member commits the same partitions again and again. So the result of checking a commit is kept
    (``LastCommit``), and the next commit is compared with it before it is parsed. That costs less
    than a queued turn of the loop, so it is answered at once, like heartbeats.
    """

    __slots__ = (
        "_ended",
        "_host",
        "_in_vain",
        "_last",
        "_learnt",
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
        self.under_way: bytes | None = None
        """The commit that waits for its reply, if any: no later request may be answered before
        it."""
        self._last: LastCommit | None = None
        """The last commit, if the pending one repeats it or the next one may."""
        self._learnt: LastCommit | None = None
        self._in_vain = 0
        self._ticket = Ticket(number, 0)

    def connected(self, client_host: str) -> None:
        """Set the client's address, for the history of offsets."""
        self._host = client_host

    def take(self, frame: bytes, sequence: int) -> bool:
        """Whether the frame (without its length, its key is ``OFFSET_COMMIT``) is a commit that has
        been submitted now; ``sequence``: which request of the connection it is."""
        last = self._learnt
        if (
            last is not None
            and len(frame) == last.length
            and int.from_bytes(frame, "big") & last.mask == last.same
        ):
            return self._repeat(last, frame, _new(Ticket, (self._number, sequence)))
        return self._take_new(frame, _new(Ticket, (self._number, sequence)))

    # -- a commit that repeats the last one

    def _repeat(self, last: LastCommit, frame: bytes, ticket: Ticket) -> bool:
        if not self._stands(last):
            self._learnt = None
            return self._take_new(frame, ticket)
        self._in_vain = 0
        if last.repeatable is not None and self._pass_on(last, last.repeatable, frame, ticket):
            return True
        event = again(last.event, ticket, last.offsets(frame))
        self._submit(frame, last, last.group_id, event, ticket)
        return True

    def _pass_on(self, last: LastCommit, earlier: Repeatable, frame: bytes, ticket: Ticket) -> bool:
        """Whether the commit needs no event."""
        coordinator, offset = self._server.node.coordinator, last.offsets(frame)
        if not coordinator.repeat(last.group_id, earlier, ticket, offset):
            return False
        self.under_way, self._last, self._ticket = frame, last, ticket
        self._server.pending_replies.open(ticket, self)
        return True

    def _stands(self, last: LastCommit) -> bool:
        """Whether nothing has changed since the commit was checked."""
        node, coordinator = self._server.node, self._server.node.coordinator
        return (
            coordinator.serves(last.slot)
            and node.catalogue.changes == last.changes
            and node.totals.keeps_history is last.has_history
            and self._session.principal == last.principal
            and self._meter.quotas.index is last.quotas
            and not self._is_limited(last.group_id)
        )

    def _is_limited(self, group_id: str) -> bool:
        """Whether commits of the group are counted."""
        coordinator = self._server.node.coordinator
        return group_id in coordinator.own.buckets or group_id in coordinator.full

    # -- a new one

    def _take_new(self, frame: bytes, ticket: Ticket) -> bool:
        found = None if self._server.turns.is_over else request_in(frame, OffsetCommitRequest)
        try:
            return found is not None and self._check(frame, *found, ticket)
        except Refuse:
            return False  # the queue answers with the error

    def _check(
        self, frame: bytes, header: RequestHeader, request: OffsetCommitRequest, ticket: Ticket
    ) -> bool:
        node, group_id, version = self._server.node, request.group_id, header.api_version
        validation.group_id(group_id, node.settings)
        if self._is_limited(group_id) or self._meter.counts(header.client_id):
            return False
        if not node.coordinator.serves(slot_of(group_id)) or offset_commit.is_outsider(request):
            return False
        entries = self._entries(request, version)
        if not entries:
            return False
        who = None
        if node.totals.keeps_history:
            named = offset_commit.member_named(request)
            client_id = validation.shown(header.client_id or "")
            who = Author(named, client_id, self._host, self._session.principal)
        codes, writes = offset_commit.sort(request, version, entries, node.settings, who)
        if not writes or any(any(judged) for judged in codes):
            return False
        event = offset_commit.event_of(request, version, ticket, writes)
        self._submit(frame, self._learn(frame, header, request, event), group_id, event, ticket)
        return True

    def _submit(
        self,
        frame: bytes,
        last: LastCommit | None,
        group_id: str,
        event: OffsetCommit,
        ticket: Ticket,
    ) -> None:
        self.under_way, self._last, self._ticket = frame, last, ticket
        self._server.pending_replies.open(ticket, self)
        self._server.node.coordinator.submit(group_id, event)

    def _entries(self, request: OffsetCommitRequest, version: int) -> list[CatalogueEntry]:
        """The catalogue entries of the topics; empty if this node does not know one of them."""
        catalogue = self._server.node.catalogue
        if version < TOPIC_IDS_SINCE:
            found = [catalogue.get(topic.name) for topic in request.topics]
        else:
            found = [catalogue.by_id(topic.topic_id) for topic in request.topics]
        known = [entry for entry in found if entry is not None]
        return known if len(known) == len(found) else []

    def _learn(
        self, frame: bytes, header: RequestHeader, request: OffsetCommitRequest, event: OffsetCommit
    ) -> LastCommit | None:
        """Keep the result of the checks, unless this client never repeats a commit."""
        self._learnt = None
        if self._in_vain >= LEARNT_IN_VAIN_MAX:
            return None
        self._in_vain += 1
        self._learnt = self._last_commit(frame, header, request, event)
        return self._learnt

    def _last_commit(
        self, frame: bytes, header: RequestHeader, request: OffsetCommitRequest, event: OffsetCommit
    ) -> LastCommit | None:
        """The result to keep; None if the frame is not encoded as our codec would encode it."""
        variable = _offsets_in(frame, header.api_version, request)
        if variable is None:
            return None
        mask = _mask(variable)
        reply = _reply(header, request, ErrorCode.NONE)
        return LastCommit(
            length=len(frame),
            mask=mask,
            same=int.from_bytes(frame, "big") & mask,
            offsets=_reader(variable),
            group_id=request.group_id,
            slot=slot_of(request.group_id),
            topics=list({write.topic: None for write in event.offsets}),
            has_history=event.offsets[0].author is not None,
            principal=self._session.principal,
            quotas=self._meter.quotas.index,
            changes=self._server.node.catalogue.changes,
            event=event,
            repeatable=repeatable(request.group_id, event),
            reply=(reply[:4], reply[8:]),
        )

    # -- the reply

    def done(self) -> bool:
        """Whether no commit waits for its reply."""
        return self.under_way is None

    def set_result(self, result: Reply, /) -> None:
        """The reply has arrived: write it."""
        frame, last = self.under_way, self._last
        if frame is None:
            return
        self.under_way = None
        error = result.error
        self._server.node.coordinator.tallies.commits[error] += 1
        if last is not None and not error:
            before, after = last.reply
            self._write(before + frame[CORRELATION_ID] + after)
        else:
            found = request_in(frame, OffsetCommitRequest)
            assert found is not None, "it was read when it came"
            self._write(_reply(*found, error))
        self._ended()

    def forget(self) -> None:
        """The connection has ended."""
        self.under_way = None
        self._server.pending_replies.close(self._ticket)


class JudgedCommitFastPath(CommitFastPath):
    """With an authorizer: commits that the client is not allowed go to the queue, which answers
    them."""

    __slots__ = ()

    def _stands(self, last: LastCommit) -> bool:
        return self._may(last.group_id, last.topics) and super()._stands(last)

    def _entries(self, request: OffsetCommitRequest, version: int) -> list[CatalogueEntry]:
        entries = super()._entries(request, version)
        return entries if self._may(request.group_id, [e.name for e in entries]) else []

    def _may(self, group_id: str, topics: Sequence[str]) -> bool:
        may = self._session.access.may
        return may(AclOperation.READ, ResourceType.GROUP, group_id) and all(
            may(AclOperation.READ, ResourceType.TOPIC, topic) for topic in topics
        )


def _offsets_in(frame: bytes, version: int, request: OffsetCommitRequest) -> bytes | None:
    """0xFF where the frame has an offset, 0 elsewhere: the bytes in which the request differs from
    the same with each bit of each offset inverted."""
    partitions = [partition for topic in request.topics for partition in topic.partitions]
    body = encode(request, version)
    if not frame.endswith(body):
        return None
    for partition in partitions:
        partition.committed_offset = ~partition.committed_offset
    other = encode(request, version)
    for partition in partitions:
        partition.committed_offset = ~partition.committed_offset
    differing = int.from_bytes(body, "big") ^ int.from_bytes(other, "big")
    return differing.to_bytes(len(frame), "big")


def _mask(variable: bytes) -> int:
    """Ones everywhere but at the offsets and the correlation id."""
    at = CORRELATION_ID
    both = variable[: at.start] + b"\xff" * (at.stop - at.start) + variable[at.stop :]
    return int.from_bytes(both, "big") ^ ((1 << 8 * len(both)) - 1)


def _reader(variable: bytes) -> Callable[[bytes], tuple[int, ...]]:
    """Reads the offsets at these places of a frame."""
    gaps = [f"{len(gap)}x" for gap in variable.split(b"\xff" * 8)]
    return Struct(">" + "q".join(gaps)).unpack


def _reply(header: RequestHeader, request: OffsetCommitRequest, error: ErrorCode) -> bytes:
    version = header.api_version
    response = offset_commit.response(request, lambda _t, _p: error, ())
    body = encode(response, version)
    return response_frame(header.correlation_id, body, bool(response.flexible(version)))
