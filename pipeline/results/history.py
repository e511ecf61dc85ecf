"""What incremental runs keep, in a folder for each history of the database.

| in ``OUTPUT/increments/JUMP-LAYOUT-N`` | |
|---|---|
| ``bronze/TABLE/run=N`` | the rows that a run has read |
| ``layers/TABLE/run=N`` | what a run has computed: of all groups, or of ``layers/groups/run=N`` |
| ``extents/run=N`` | how far was read, and by which runs: the newest counts |
| ``states/run=N`` | what a run was made of; it counts if PostgreSQL says that the run succeeded |

So the transaction that ends a run is what makes its files count, and a run that was killed anywhere
leaves nothing that does. N begins again with 1 more where the place up to which was read is lost.
"""

import hashlib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from pipeline.datasets.dataset import Dataset
from pipeline.results import folders
from pipeline.results.folders import RUN, Output
from pipeline.results.parts import Part, Parts

INCREMENTS: Final = "increments"
GROUPS: Final = "groups"
STATES: Final = "states"
EXTENTS: Final = "extents"
NOTE: Final = "extent.json"

Offset = dict[str, Any]
"""Of a table: how far it was read (``sources.stream``)."""

CODE: Final = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class State:
    """What a run was made of: what the runs ``batches`` have read, from the day ``since`` on.
    ``layers`` are the runs whose rows make up its tables, the first with all groups; ``events`` and
    ``last`` are those of ``results.runs.Read``; ``code`` is the pipeline's own; ``rows_of``: the
    run under whose number the rows of its reports are."""

    run: int
    at: str
    code: str
    batches: Sequence[int]
    layers: Sequence[int]
    since: str
    events: int
    last: int
    rows_of: int = 0  # in those of earlier versions, upon which none builds

    @property
    def moment(self) -> datetime:
        """The moment of the run."""
        return datetime.fromisoformat(self.at)


@dataclass(frozen=True, slots=True)
class Extent:
    """What has been read: the offset of each table, and the runs that have read something, each
    with the first and the last day of it."""

    offsets: Mapping[str, Offset] = field(default_factory=dict)
    batches: Mapping[int, Sequence[date]] = field(default_factory=dict)

    @property
    def runs(self) -> list[int]:
        """Those that have read something."""
        return [*self.batches]

    def with_more(self, run: int, offsets: Mapping[str, Offset], days: Sequence[date]) -> "Extent":
        """With what a run has read."""
        return Extent({**self.offsets, **offsets}, {**self.batches, run: days})

    def oldest(self, since: date | None) -> date | None:
        """The first day that has rows, of those from a day on."""
        first = min((days[0] for days in self.batches.values()), default=None)
        return max(first, since) if first is not None and since is not None else first

    def behind(self, since: date | None) -> "Extent":
        """Without what is of before a day."""
        kept = {
            run: days for run, days in self.batches.items() if since is None or days[1] >= since
        }
        return Extent(self.offsets, kept)

    def text(self) -> str:
        """As it is stored."""
        batches = {run: [day.isoformat() for day in days] for run, days in self.batches.items()}
        return json.dumps({"offsets": self.offsets, "batches": batches})

    @classmethod
    def of(cls, text: str) -> "Extent":
        """As it was stored."""
        told = json.loads(text)
        batches = {
            int(run): [date.fromisoformat(day) for day in days]
            for run, days in told["batches"].items()
        }
        return cls(told["offsets"], batches)


@dataclass(frozen=True, slots=True)
class History:
    """One folder."""

    output: Output

    @classmethod
    def of(cls, output: Output, name: str, *, anew: bool = False) -> "History":
        """The newest folder of a history; ``anew``: another, which is empty. Its name says which
        columns its files have."""
        all_of = output.within(INCREMENTS)
        found = [child.rpartition("-") for child in histories(all_of)]
        last = max((int(n) for own, _, n in found if own == name), default=0)
        return cls(all_of.within(f"{name}-{max(last + anew, 1)}"))

    @property
    def layers(self) -> Output:
        """What runs have computed."""
        return self.output.within("layers")

    @property
    def bronze(self) -> Output:
        """What runs have read."""
        return self.output.within("bronze")

    def rows(
        self,
        table: type[Dataset],
        batches: Sequence[int],
        since: date | None,
        groups: frozenset[str] | None = None,
    ) -> Parts:
        """What these runs have read, from a day on: of these groups, or of all."""
        there = self.bronze.runs(table.NAME)
        parts = [Part(there[run], groups) for run in batches if run in there]
        return Parts(table, parts, since)

    def note_groups(self, groups: frozenset[str], run: int) -> None:
        """Which groups a run computes."""
        names = pa.table({"group_id": pa.array(sorted(groups), pa.string())})
        folders.write_rows(names.schema, names.to_batches(), self.layers.of(GROUPS, run))

    def layered(
        self,
        table: type[Dataset],
        runs: Sequence[int],
        groups: frozenset[str] | None = None,
        without: frozenset[str] = frozenset(),
    ) -> Parts:
        """A table as of the last of these layers, of some groups: each group's rows are those of
        the newest layer that has computed it."""
        parts: list[Part] = []
        newer = without
        for run in reversed(runs):
            own = self._groups(run) if run != runs[0] else None
            parts.append(_part(self.layers.of(table.NAME, run), own, groups, newer))
            newer |= own or frozenset()
        return Parts(table, [part for part in parts if part.of is None or part.of])

    def _groups(self, run: int) -> frozenset[str]:
        names = folders.read_rows(self.layers.of(GROUPS, run))
        return frozenset(names["group_id"].to_pylist())

    def extent(self) -> Extent:
        """What has been read, as the newest note says."""
        for _, address in sorted(self.output.runs(EXTENTS).items(), reverse=True):
            if folders.exists(f"{address}/{NOTE}"):
                return Extent.of(folders.read_text(f"{address}/{NOTE}"))
        return Extent()

    def note_extent(self, run: int, extent: Extent) -> None:
        """From now on this has been read."""
        folders.write_text(f"{self.output.of(EXTENTS, run)}/{NOTE}", extent.text())

    def note(self, state: State) -> None:
        """Keep what a run was made of; before the transaction that ends it."""
        folders.write_text(self._state(state.run), json.dumps(asdict(state)))

    def state(self, run_ids: Collection[int]) -> State | None:
        """That of the newest of these runs that has one."""
        noted = folders.numbered(f"{self.output.address}/{STATES}", RUN)
        newest = max(noted.keys() & {*run_ids}, default=None)
        if newest is None:
            return None
        return State(**json.loads(folders.read_text(self._state(newest))))

    def tidy(self, state: State, extent: Extent, tables: Sequence[str]) -> None:
        """Delete what no later run needs: other histories, other layers, what was read before the
        first day that counts, and by runs that were killed."""
        since = date.fromisoformat(state.since) if state.since else None
        kept = extent.behind(since)
        if kept != extent:
            self.note_extent(state.run, kept)
        place, _, own = self.output.address.rpartition("/")
        for name in histories(Output(place)):
            if name != own:
                folders.delete(f"{place}/{name}")
        for table in (GROUPS, *tables):
            self.layers.keep(table, state.layers)
        for table in kept.offsets:
            self.bronze.keep(table, kept.runs)
        self.output.keep(STATES, [state.run])
        self.output.keep(EXTENTS, [max(self.output.runs(EXTENTS), default=0)])

    def _state(self, run: int) -> str:
        return f"{self.output.of(STATES, run)}/state.json"


def histories(increments: Output) -> list[str]:
    """The names of all that are there. Other things may be, too, as file managers leave them."""
    return [
        name for name in folders.children(increments.address) if re.fullmatch(r".+-[0-9]+", name)
    ]


def _part(
    address: str,
    own: frozenset[str] | None,
    groups: frozenset[str] | None,
    newer: frozenset[str],
) -> Part:
    """Of a layer with its own groups (None: all) those that are asked for, and in no newer one."""
    if own is None and groups is None:
        return Part(address, None, newer)
    wanted = groups if own is None else own if groups is None else own & groups
    assert wanted is not None
    return Part(address, wanted - newer)


def code() -> str:
    """What identifies this version of the pipeline: another may compute the same rows otherwise."""
    digest = hashlib.sha256()
    for path in sorted(CODE.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
