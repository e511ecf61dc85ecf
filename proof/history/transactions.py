"""I9: a transaction's offsets count together or never, and not before EndTxn was sent.

The producer's requests say which offsets belong to a transaction; the rows say when they count. The
last producer that initialised a transactional id owns it: no request of an earlier one succeeds any
more.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from proof.history.family import Family, Rule
from proof.history.format import Place, Record, Violation
from proof.history.observed_state import Story

Entry = tuple[Place, int]
"""One offset of one partition: each is used once in a run."""


@dataclass(slots=True)
class Transaction:
    """``sent_at``: when each offset was sent; ``granted``: when that succeeded; ``counts_since``:
    when its offsets were written."""

    sent_at: dict[Entry, float] = field(default_factory=dict)
    granted: dict[Entry, float] = field(default_factory=dict)
    is_commit_requested: bool = False
    counts_since: float | None = None


class Transactions(Family):
    """Compares what producers requested with the rows."""

    def __init__(self, story: Story, violations: list[Violation], *, has_rows: bool) -> None:
        super().__init__(story, violations, has_rows=has_rows)
        self._transactions: dict[int, Transaction] = defaultdict(Transaction)
        self._of: dict[Entry, Transaction] = {}
        self._plain: dict[Entry, float] = {}
        self._plain_at: dict[Place, float] = {}
        self._owners: dict[str, tuple[tuple[int, int], str, float]] = {}

    # -- requests

    def putting(self, record: Record, _call: Record) -> None:
        """TxnOffsetCommit is sent."""
        transaction = self._transactions[record["transaction"]]
        for entry in _entries(record):
            transaction.sent_at[entry] = record["at"]
            self._of[entry] = transaction

    def put(self, record: Record, call: Record) -> None:
        """The offsets are in the transaction now."""
        self.owned(record, call)
        transaction = self._transactions[call["transaction"]]
        transaction.granted.update((entry, record["at"]) for entry in _entries(call))

    def committing(self, record: Record, _call: Record) -> None:
        """A plain commit is sent: if it comes later than a transaction's, it wins."""
        self._plain.update((entry, record["at"]) for entry in _entries(record))

    def ending(self, record: Record, _call: Record) -> None:
        """EndTxn is sent."""
        if record["commit"]:
            self._transactions[record["transaction"]].is_commit_requested = True

    # -- results

    def written(self, record: Record, _call: Record) -> None:
        """An offset counts from now on."""
        place = (record["group"], record["topic"], record["partition"])
        entry = (place, record["offset"])
        transaction = self._of.get(entry)
        if transaction is None:
            sent = self._plain.get(entry, -1.0)
            self._plain_at[place] = max(sent, self._plain_at.get(place, -1.0))
            return
        if not transaction.is_commit_requested:
            self.say("I9", f"{entry} counts before the end of its transaction", record)
        if transaction.counts_since not in (None, record["at"]):
            self.say("I9", f"{entry} counts later than others of its transaction", record)
        granted = transaction.granted.get(entry)
        if granted is not None and self._plain_at.get(place, -1.0) > granted:
            self.say("I9", f"{entry} stands over a commit that came later", record)
        transaction.counts_since = record["at"]

    def ended(self, record: Record, call: Record) -> None:
        """EndTxn succeeded: all of it counts, except offsets that were overwritten."""
        self.owned(record, call)
        self.initialised(record, call)
        if call["commit"] and self.has_rows:
            self._check_whole(self._transactions[call["transaction"]], record)

    def _check_whole(self, transaction: Transaction, record: Record) -> None:
        for entry in transaction.granted:
            place, offset = entry
            register, sent_at = self.story.offsets[place], transaction.sent_at[entry]
            is_overtaken = (
                register.last >= sent_at or self.story.ended.get(place[0], -1.0) >= sent_at
            )
            if offset not in register.written and not is_overtaken:
                self.say("I9", f"{entry} does not count, and its transaction has ended", record)

    def end(self, record: Record, _call: Record) -> None:
        """The run is over: if one offset of a transaction counts, all of them do."""
        for transaction in self._transactions.values() if self.has_rows else ():
            if transaction.counts_since is not None:
                self._check_whole(transaction, record)

    # -- the owner of the transactional id

    def initialised(self, record: Record, call: Record) -> None:
        """A producer got its id and epoch: the greatest belongs to the owner."""
        identity = (record["identity"][0], record["identity"][1])
        known = self._owners.get(call["producer"])
        if known is None or identity > known[0]:
            since = known[2] if known and known[1] == call["caller"] else record["at"]
            self._owners[call["producer"]] = (identity, call["caller"], since)

    def owned(self, record: Record, call: Record) -> None:
        """No request succeeds that was sent after its producer was fenced."""
        _, owner, since = self._owners.get(call["producer"], ((-1, -1), call["caller"], 0.0))
        if owner != call["caller"] and since < call["at"]:
            who = f"{call['caller']}, whose place {owner} had taken"
            self.say("I9", f"{call['api']} of {who}, succeeded", record)

    RULES: ClassVar[Mapping[str, Rule]] = {
        "invoke TxnOffsetCommit": putting,
        "invoke OffsetCommit": committing,
        "invoke EndTxn": ending,
        "ok InitProducerId": initialised,
        "ok AddOffsetsToTxn": owned,
        "ok TxnOffsetCommit": put,
        "ok EndTxn": ended,
        "row offset": written,
        "end": end,
    }


def _entries(record: Record) -> list[Entry]:
    found: Any = record["offsets"]
    return [((record["group"], topic, partition), o) for topic, partition, o in found]
