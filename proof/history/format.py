"""The format of records and of violations. No state and no judgement.

**A record** is a JSON object. Every record has ``at``: milliseconds of one monotonic clock that
all recorders of a run share, and ``type``. Records are given in the order of ``at``; of equal
ones, rows come before responses.

*Calls of clients*: ``type`` is "invoke", then "ok", "fail" (the service has answered with an
error) or "info" (the outcome is unknown: the connection closed, or no response came). All have
``process`` (the caller; one call at a time) and ``call`` (unique in the run).

- invoke: ``api``, ``group``, ``member`` ("" if there is none yet), ``instance`` (or None),
  ``generation`` (or member epoch; -1: none), ``session_ms`` (only of live members); if known,
  ``node``, which it is sent to, and ``connected``, when that connection was opened.
  OffsetCommit: ``offsets`` as [[topic, partition, offset], ...], each offset used once per
  partition and run; perhaps ``notes``, a hash of the note (Kafka's "metadata") of each.
  ConsumerGroupHeartbeat: ``owned``, what it reports to own, [[topic, partition], ...] or None;
  RegisterConsumer and AcknowledgeCommand the same, [] if it has stopped.
- of producers' transactions all have ``producer``, the transactional id, and ``caller``, the
  process with it; except for InitProducerId ``transaction``, a number unique in the run.
  TxnOffsetCommit: ``offsets``, as above. EndTxn: ``commit``.
- ok: JoinGroup: ``member``, ``generation``, ``leader``; of the 0.9 draft ``owned`` and no leader.
  SyncGroup: ``owned``. ConsumerGroupHeartbeat: ``member``, ``generation``, ``owned`` (or None:
  unchanged). RegisterConsumer: ``member``, ``generation``. PollCommands: ``generation``, ``owned``
  of a start-fetcher (else None). OffsetFetch: ``offsets`` (-1: nothing is committed), perhaps
  ``notes``. InitProducerId and EndTxn: ``identity``, [producer id, epoch]. Others: nothing more.
- fail: ``code``, Kafka's number. info: ``why``, "closed", "left" (the client looks for another
  coordinator) or "timeout".

A client that finds no coordinator to call writes "seek" with ``group`` and ``member``, and perhaps
the ``node`` that it asked: it is not silent. A commanded consumer that stops by itself writes
"stopped", with ``group`` and ``member``.

``is_odd`` of an invoke: it has values that the wire rejects; only the effect on other requests is
checked.

*Committed rows*: ``type`` is "row"; the order of records is the order of commits.

- ``table`` "slot": ``slot``, ``epoch``, ``node`` (or None).
- ``table`` "group": ``group``, ``kind``, ``generation``, ``revision``, ``state``, ``members``
  (member id to instance id or None); if known, ``slot`` and ``epoch``, under which the
  *writer* holds it, and ``seen``, the revision from which it decided.
- ``table`` "deleted": ``group``; its row was deleted with all it held.
- ``table`` "offset": ``group``, ``topic``, ``partition``, ``offset`` (None: deleted); if known,
  ``slot`` and ``epoch``.
- ``table`` "back": ``group``, ``offsets`` as [[topic, partition, offset or None], ...]: a replica
  took over that lacks the last rows of the group; these have their earlier values again. ``lives``
  as [[life, member], ...] and ``owned`` as [[life, topic, partition], ...], if facts are recorded.
- ``table`` "life": ``group``, ``life``, ``member``, ``is_end``; ``began_ms``, so long before the
  record it joined. One that ends comes after all that it owned.
- ``table`` "owned": ``group``, ``life``, ``topic``, ``partitions``, ``is_end``; ``since_ms`` or
  ``until_ms``, so long before the record it began or ceased to own them; ``is_last``: the life
  ends too.
- ``table`` "removed": ``group``, ``member``, ``trigger``: of the journal entry about the removal.

*Faults*: ``type`` "fault", ``process`` a client's: from ``since`` to ``until`` (written when it
begins; the latest end) it sleeps or is cut off, which excuses its silence. ``type`` "late": from
``since`` to ``until`` the recorder itself was blocked, and with it all clients and what is between
them and the nodes. ``type`` "suspended", ``node``: from ``since`` to ``until`` its process reads
nothing; "started": a new process has this node id. ``type`` "mishap", ``what``: an exception
reached a node's loop. ``type`` "end": the faults ended ``healed_ms`` ago; ``groups`` maps each
group with living members to whether all of them are settled. ``type`` "dead", ``group`` and
``member``: one that died was removed, or is still there too late, after its group was served for
``served_ms``, of which ``limit_ms`` are right.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

Record = Mapping[str, Any]

Place = tuple[str, str, int]
"""Group, topic, partition."""

Part = tuple[str, int]
"""Topic, partition."""

UNKNOWN_SERVER_ERROR: Final = -1
ILLEGAL_GENERATION: Final = 22
UNKNOWN_MEMBER_ID: Final = 25
REBALANCE_IN_PROGRESS: Final = 27

REFUSALS: Final = frozenset(
    {ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID, 12, 27, 47, 48, 49, 82, 90, 110, 113, 120}
)
"""Error codes that guarantee that nothing was changed: illegal generation, unknown member, too long
a note, a rebalance, fenced instance, fenced and stale member epoch, a commit of what is not owned;
of transactions a producer's epoch, state or id, a fenced producer, one that has to abort."""

UNDECIDED: Final = frozenset({14, 15, 16})
"""Error codes that leave open what became of a request: the coordinator loads, is not available, or
is another one."""

FENCED_BY_GENERATION: Final = frozenset({"classic", "draft", "commanded"})
"""Kinds of groups in which a new generation invalidates the previous one, whatever the
assignment."""

LEAVES: Final = {"LeaveGroup": 1 << 31, "ConsumerGroupHeartbeat": 0}
"""Requests that leave the group, if the generation is below this."""


class Violation(NamedTuple):
    """An invariant that did not hold; ``at`` and ``record`` say where it showed."""

    invariant: str
    what: str
    at: float
    record: Record

    def __str__(self) -> str:
        return f"{self.invariant} at {self.at:.0f} ms: {self.what}"
