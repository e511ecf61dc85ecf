"""Facts through the death of nodes, lost leases and takeovers: whatever strikes, committed facts
say who a group's members are, and no partition has two owners."""

from collections import Counter, defaultdict
from typing import Any
from weakref import WeakKeyDictionary

import pytest

from groups.core.consumer.group import ConsumerGroup
from groups.store.apply import Write
from proof.simulation import batches
from proof.simulation.population import ALL, Population
from proof.simulation.postgres import Database
from proof.simulation.run import simulate
from tests.walks.ledger import Ledger
from tests.walks.test_facts import check_owners, holders

EVERY_KIND = Population(protocols=ALL)


class Ledgers:
    """The ledger of each group of each database; what the store commits goes through it."""

    def __init__(self) -> None:
        self.of: WeakKeyDictionary[Database, dict[str, Ledger]] = WeakKeyDictionary()
        self.counted = Counter[str]()
        self._write = batches._write

    def write(self, db: Database, write: Write, epoch: int, *, only_offsets: bool) -> None:
        self._write(db, write, epoch, only_offsets=only_offsets)
        if not only_offsets:
            ledger = self.of.setdefault(db, defaultdict(Ledger))[write.group_id]
            self._check(db, write, ledger)

    def _check(self, db: Database, write: Write, ledger: Ledger) -> None:
        ledger.take(write.decision)
        stored = db.groups.get(write.group_id)
        assert ledger.lives.keys() == set(stored.members if stored else ())
        kind = write.decision.group.durable.group.kind
        self.counted[kind] += len(write.decision.facts)
        if isinstance(write.decision.group, ConsumerGroup):
            assert set(holders(write.decision.group)) <= ledger.owned.keys()
        check_owners(ledger, write.decision)


@pytest.mark.timeout(400)
@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(4, 8), marks=pytest.mark.long)])
def test_committed_facts_are_right_through_all_faults(seeds: range, monkeypatch: Any) -> None:
    ledgers = Ledgers()
    monkeypatch.setattr(batches, "_write", ledgers.write)
    for seed in seeds:
        outcome = simulate(seed, population=EVERY_KIND if seed % 2 else None)
        assert not outcome.violations
    assert ledgers.counted.keys() == {"classic", "consumer", "draft", "commanded"}
