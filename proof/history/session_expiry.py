"""I6: no member is removed that was heard, or that did all it could to be heard."""

from bisect import insort
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Final

from groups.core.journal import Trigger
from proof.history.family import Family, Rule
from proof.history.format import LEAVES, REBALANCE_IN_PROGRESS, UNDECIDED, Record, Violation
from proof.history.observed_state import Story

BEATS: Final = frozenset(
    {
        "JoinGroup",
        "SyncGroup",
        "Heartbeat",
        "ConsumerGroupHeartbeat",
        "RegisterConsumer",
        "PollCommands",
        "AcknowledgeCommand",
    }
)
"""Requests that keep a member alive; in a classic group a commit does, too."""

JOINS: Final = {"JoinGroup": 1 << 31, "RegisterConsumer": 1 << 31, "ConsumerGroupHeartbeat": 1}
"""Requests that make a member of one that has left, if the generation is below this."""

CLOCKS_AGREE: Final = 0.97
"""How much shorter than configured a session may be: the node's clock differs from the
recorder's."""

LATE_PART: Final = 0.25
"""The part of a session by which a recorder may be late and its clients still must have been
heard."""

HEARD_MAX: Final = 4
SENT_MAX: Final = 200
"""How many instants are kept of each member, the newest."""

Key = tuple[str, str]
"""Group and member."""


@dataclass(slots=True)
class Attempt:
    """What a member sent: when, as which call (None: it looked for a coordinator), and over which
    connection. ``is_open``: it may still be answered."""

    at: float
    call: int | None
    node: int | None
    connected: float
    is_open: bool


class Silence(Family):
    """When members sent requests, and which of them were answered."""

    def __init__(self, story: Story, violations: list[Violation], *, has_rows: bool) -> None:
        super().__init__(story, violations, has_rows=has_rows)
        self._sent: dict[Key, list[Attempt]] = defaultdict(list)
        self._heard: dict[Key, list[float]] = defaultdict(list)
        self._answered: dict[Key, float] = {}
        self._sessions: dict[Key, tuple[str, float]] = {}
        self._left: set[Key] = set()
        self._suspended: dict[int, tuple[float, float]] = {}

    def invoke(self, record: Record, _call: Record) -> None:
        """A member sends a heartbeat, or leaves."""
        key = (record["group"], record["member"])
        if record["api"] in JOINS and record["generation"] < JOINS[record["api"]]:
            self._left.discard(key)
        if record["member"] and "session_ms" in record and self._is_beat(record):
            self._send(record, record["call"], record.get("connected", 0.0))
            if key not in self._left:  # else another thread of it does not know that yet
                self._sessions[key] = (record["process"], record["session_ms"] * CLOCKS_AGREE)
        if record["api"] in LEAVES and record["generation"] < LEAVES[record["api"]]:
            self._sessions.pop(key, None)  # from here on it may be silent
            self._left.add(key)

    def seek(self, record: Record, _call: Record) -> None:
        """A client tries to reach the coordinator. Requests to a suspended node are not read."""
        if not self._is_suspended(record.get("node"), record["at"], 0.0):
            self._send(record, None, 0.0)

    def _send(self, record: Record, call: int | None, connected: float) -> None:
        sent = self._sent[record["group"], record["member"]]
        is_open = call is not None
        sent.append(Attempt(record["at"], call, record.get("node"), connected, is_open))
        del sent[:-SENT_MAX]

    def _end(self, call: Record) -> Attempt | None:
        """The request has got a response, or never will."""
        for attempt in reversed(self._sent[call["group"], call["member"]]):
            if attempt.call == call["call"]:
                attempt.is_open = False
                return attempt
        return None

    def _answer(self, call: Record) -> None:
        """A node has read the request, whatever it said."""
        self._end(call)
        if self._is_beat(call):
            key = (call["group"], call["member"])
            self._answered[key] = max(call["at"], self._answered.get(key, call["at"]))

    def info(self, record: Record, call: Record) -> None:
        """There is no response: what waited at a suspended node until then was not heard."""
        attempt = self._end(call)
        if attempt and self._is_suspended(attempt.node, record["at"], attempt.connected):
            self._sent[call["group"], call["member"]].remove(attempt)

    def suspended(self, record: Record, _call: Record) -> None:
        """A node is suspended."""
        self._suspended[record["node"]] = (record["since"], record["until"])

    def started(self, record: Record, _call: Record) -> None:
        """Another process has this node id."""
        self._suspended.pop(record["node"], None)

    def _is_suspended(self, node: int | None, at: float, connected: float) -> bool:
        """Whether a node is suspended, and was not yet when the client connected to it: clients
        should not be sent to a suspended one."""
        since, until = self._suspended.get(-1 if node is None else node, (at, at))
        return connected <= since <= at < until

    def ok(self, _record: Record, call: Record) -> None:
        """A heartbeat was answered."""
        self._answer(call)
        if self._is_beat(call):
            heard = self._heard[call["group"], call["member"]]
            insort(heard, call["at"])
            del heard[:-HEARD_MAX]

    def fail(self, record: Record, call: Record) -> None:
        """An error that reports a rebalance is also an answer. In the 0.9 draft a consumer that was
        given up is brought back by a join alone, so a refused request is none there."""
        is_draft = self.story.groups[call["group"]].kind == "draft"
        if is_draft and record["code"] in UNDECIDED:
            self._end(call)
            return
        self._answer(call)
        if record["code"] == REBALANCE_IN_PROGRESS:
            self.ok(record, call)

    def removed(self, record: Record, _call: Record) -> None:
        """A member was removed because its session expired: it must have been silent."""
        key = (record["group"], record["member"])
        known = self._sessions.get(key)
        if record["trigger"] != Trigger.SESSION_EXPIRED or known is None:
            return
        process, session = known
        until: float = record["at"]
        if not self._was_silent(key, until, session):
            self.say("I6", f"{key[1]} was removed within a session of being heard", record)
            return
        answered = self._answered.get(key, until)
        if self._kept_sending(key, until, session) and self._could_be_heard(
            process, answered, until, session
        ):
            self.say("I6", f"{key[1]} was removed although it never fell silent", record)

    def _could_be_heard(self, process: str, answered: float, until: float, session: float) -> bool:
        """Whether only the coordinator can have prevented a client from being heard for a session:
        it sends twice in one, and its requests are as late as the recorder was. A session that it
        overslept when it was ``answered`` last may be noticed much later, as PostgreSQL was away
        then."""
        if self.story.is_excused(process, min(until - 2 * session, answered), until):
            return False
        return self.story.late_between(until - 1.5 * session, until) < session * LATE_PART

    def _was_silent(self, key: Key, until: float, session: float) -> bool:
        """Whether it was not heard for a whole session; its end may be decided before the last
        heartbeat was answered, and committed after it."""
        heard = [-1e12, *self._heard[key], until]
        return any(b - a >= session for a, b in pairwise(heard[-HEARD_MAX:]))

    def _kept_sending(self, key: Key, until: float, session: float) -> bool:
        """Whether each half of the last session had a request that a node could read."""
        recent = [
            sent.at
            for sent in self._sent[key]
            if sent.at >= until - 1.5 * session
            and not (sent.is_open and self._is_suspended(sent.node, until, sent.connected))
        ]
        if not recent or recent[0] > until - session:
            return False
        return all(b - a <= session / 2 for a, b in zip(recent, [*recent[1:], until], strict=True))

    def _is_beat(self, call: Record) -> bool:
        is_classic = self.story.groups[call["group"]].kind == "classic"
        return call["api"] in BEATS or (is_classic and call["api"] == "OffsetCommit")

    RULES: ClassVar[Mapping[str, Rule]] = {
        "row removed": removed,
        "invoke": invoke,
        "seek": seek,
        "ok": ok,
        "fail": fail,
        "info": info,
        "suspended": suspended,
        "started": started,
    }
