"""Learns from the times of heartbeats how often a client sends them, to know how long to hold them.

The coordinator does not know the interval of classic members (``heartbeat.interval.ms`` is the
client's setting), nor whether a client counts it from its last request, as Java's, librdkafka's and
most others do, or from the last response. A held heartbeat shows it: the next one arrives an
interval after the request, or an interval after the response
(docs/decisions/0017-held-heartbeats.md). What was learnt outlives the connection: the next one of
such a client begins with it (``KnownPaces``).
"""

from typing import Final, NamedTuple

SHARE_SHORT_SESSION: Final = 1 / 3
"""Share of the interval in a short session, for a client that may count from the response: it then
sends a heartbeat every one and a third intervals, and a session has three."""

SHARE: Final = 0.95
"""Share of the interval for clients that count it from the request: the response arrives before the
next heartbeat is due."""

MARGIN_S: Final = 0.15
"""Minimum time between the response and the next heartbeat: a response that crosses it is
useless."""

SESSION_SHARE: Final = 1 / 3
"""Share of the session timeout: maximum time between two heartbeats, including holds."""

TELLING_S: Final = 0.2
"""A shorter hold does not show from where the client counts."""

LEAST, MOST = 0.75, 1.25
"""Shares of the interval between which a heartbeat is believed to be in time."""

RISE: Final = 1 / 8
"""Share of the difference by which the interval rises: heartbeats come late, but not early."""

LATE_MAX: Final = 3
"""After this many late heartbeats in a row the interval is longer than was learnt."""

CLIENTS_MAX: Final = 10_000
"""Clients whose pace is kept (about 400 bytes each), the latest: others are learnt anew."""

NAMES_MAX: Final = 1_000
"""Characters in the names of one that is kept: clients choose them, up to 32 KiB each."""

SOON_MAX: Final = 1_500
"""Heartbeats a second that a node asks for soon, since the group of a settled member is not quiet:
those of 750 members, about a fifth of a core. Members beyond that are told the usual interval."""


class PacedClient(NamedTuple):
    """Whose connections are believed to have the same pace: members of a group with the same client
    id and the same library (its name and version in ApiVersions)."""

    group_id: str
    client_id: str | None
    software: str
    version: str


class KnownPaces:
    """The paces that the connections of a node have learnt, by client; and how many heartbeats the
    node has asked for soon."""

    def __init__(self) -> None:
        self._of: dict[PacedClient, tuple[float, bool | None]] = {}
        self._second, self._left = 0, 0

    def get(self, client: PacedClient) -> tuple[float, bool | None]:
        """Its interval in seconds, and whether it counts from the response; 0 and None if
        unknown."""
        return self._of.get(client, (0.0, None))

    def note(self, client: PacedClient, interval_s: float, from_answer: bool | None) -> None:
        """A connection of this client has learnt this."""
        if sum(map(len, filter(None, client))) > NAMES_MAX:
            return
        self._of.pop(client, None)
        self._of[client] = (interval_s, from_answer)
        if len(self._of) > CLIENTS_MAX:
            del self._of[next(iter(self._of))]

    def may_come_soon(self, now_s: float) -> bool:
        """Whether one more client may be asked for its next heartbeat soon in this second."""
        if int(now_s) != self._second:
            self._second, self._left = int(now_s), SOON_MAX
        self._left -= 1
        return self._left >= 0

    def __len__(self) -> int:
        return len(self._of)


class Pace:
    """The pace of one connection. ``interval_s`` is 0, and ``from_answer`` None, until they are
    known."""

    __slots__ = ("_client", "_known", "_late", "from_answer", "interval_s", "may_come_soon")

    def __init__(self, known: KnownPaces) -> None:
        self.interval_s = 0.0
        self.from_answer: bool | None = None
        self._late = 0
        self._known = known
        self.may_come_soon = known.may_come_soon
        self._client: PacedClient | None = None

    def is_of(self, client: PacedClient) -> None:
        """Whose connection it is, said from time to time: it begins with what is known of such
        clients, and they with what it has learnt meanwhile."""
        is_new, self._client = client != self._client, client
        if is_new and not self.interval_s and self.from_answer is None:
            self.interval_s, self.from_answer = self._known.get(client)
        else:
            self._note()

    def counts(self, from_answer: bool) -> None:
        """The client was seen to count its interval from the response, or from the request."""
        if from_answer is not self.from_answer:
            self.from_answer = from_answer
            self._note()

    def _note(self) -> None:
        if self._client is not None and (self.interval_s or self.from_answer is not None):
            self._known.note(self._client, self.interval_s, self.from_answer)

    def learn(self, gap_s: float, held_s: float) -> None:
        """A heartbeat arrived this long after the last one, which had been held for ``held_s``.

        One that is in time for neither kind of client is not believed: a client that was suspended
        once would be taken for the other kind, as long as its connection lasts.
        """
        interval_s, since_answer_s = self.interval_s, gap_s - held_s
        if not interval_s:
            self.interval_s = since_answer_s if since_answer_s > 0 else 0.0
            self._note()
            return
        is_nearer = interval_s - since_answer_s < gap_s - interval_s
        seen_s = since_answer_s if is_nearer else gap_s
        if LEAST * interval_s <= seen_s <= MOST * interval_s:
            self._late = 0
            if held_s >= TELLING_S:
                self.counts(is_nearer)
            if seen_s > interval_s:
                self.interval_s = interval_s + (seen_s - interval_s) * RISE
            else:
                self.interval_s = seen_s
            return
        self._late += 1
        if gap_s < LEAST * interval_s or self._late >= LATE_MAX:
            self._forget()

    def _forget(self) -> None:
        """The next heartbeat is not held, and shows the interval."""
        self.interval_s, self.from_answer, self._late = 0.0, None, 0

    def hold_s(self, session_s: float) -> float:
        """How long a heartbeat of a member with this session may be held, in seconds. A client of
        which it is not known counts from the response."""
        interval_s, most_s = self.interval_s, session_s * SESSION_SHARE
        nearly_all_s = min(interval_s * SHARE, interval_s - MARGIN_S)
        if self.from_answer is False:
            return min(nearly_all_s, most_s)
        bearable_s = max(interval_s * SHARE_SHORT_SESSION, most_s - interval_s)
        return min(nearly_all_s, bearable_s, most_s)
