"""What incremental runs keep, in a folder for each history of the database.

| in ``OUTPUT/increments/JUMP-LAYOUT-N`` | |
|---|---|
| ``checkpoints/TABLE`` | how far each stream has read, as Spark writes it |
| ``bronze/TABLE/batch=N/day=D`` | the rows of each batch |
| ``layers/TABLE/run=N`` | what a run has computed: of all groups, or of ``layers/groups/run=N`` |
| ``states/run=N`` | what a run was made of; it counts if PostgreSQL says that the run succeeded |

So the transaction that ends a run is what makes its files count, and a run that was killed anywhere
leaves nothing that does. N begins again with 1 more where a stream has lost its place.
"""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from pipeline.datasets.dataset import Dataset
from pipeline.results import folders
from pipeline.results.folders import RUN, Output

INCREMENTS: Final = "increments"
GROUPS: Final = "groups"
STATES: Final = "states"
BATCH, DAY = "batch", "day"

CODE: Final = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class State:
    """What a run was made of: of each stream all batches up to one, from the day ``since`` on.
    ``layers`` are the runs whose rows make up its tables, the first with all groups; ``events`` and
    ``last`` are those of ``results.runs.Read``; ``code`` is the pipeline's own."""

    run: int
    at: str
    code: str
    batches: Mapping[str, int]
    layers: Sequence[int]
    since: str
    events: int
    last: int

    @property
    def moment(self) -> datetime:
        """The moment of the run."""
        return datetime.fromisoformat(self.at)


@dataclass(frozen=True, slots=True)
class History:
    """One folder."""

    output: Output

    @classmethod
    def of(cls, output: Output, name: str, *, anew: bool = False) -> "History":
        """The newest folder of a history; ``anew``: another, which is empty. Its name says which
        columns its files have."""
        all_of = output.within(INCREMENTS)
        found = [child.rpartition("-") for child in folders.children(all_of.address)]
        last = max((int(n) for own, _, n in found if own == name and n.isdigit()), default=0)
        return cls(all_of.within(f"{name}-{max(last + anew, 1)}"))

    @property
    def layers(self) -> Output:
        """What runs have computed."""
        return self.output.within("layers")

    def checkpoint(self, table: str) -> str:
        """Where Spark keeps a stream's place."""
        return f"{self.output.address}/checkpoints/{table}"

    def write_batch(self, dataset: type[Dataset], frame: DataFrame, number: int) -> None:
        """Store a batch, again if it is there: Spark repeats one that it does not know to be
        written, and its rows are the same."""
        rows = frame.withColumn(DAY, f.to_date("at"))
        folders.write(rows, f"{self._bronze(dataset)}/{BATCH}={number}", DAY)

    def batches(self, datasets: Sequence[type[Dataset]]) -> dict[str, int]:
        """The last batch of each table; -1 if there is none."""
        found = {dataset: folders.numbered(self._bronze(dataset), BATCH) for dataset in datasets}
        return {dataset.NAME: max(numbers, default=-1) for dataset, numbers in found.items()}

    def rows(
        self, spark: SparkSession, dataset: type[Dataset], since: str, after: int = -1
    ) -> DataFrame:
        """The rows of all batches after one, from a day on."""
        schema = f"{dataset.ddl()}, {BATCH} int, {DAY} date"
        if not folders.children(self._bronze(dataset)):
            return spark.createDataFrame([], schema)
        found = spark.read.schema(schema).parquet(self._bronze(dataset))
        chosen = found.filter((f.col(BATCH) > after) & (f.col(DAY) >= f.lit(since).cast("date")))
        return chosen.select(*dataset.names())

    def oldest(self, datasets: Sequence[type[Dataset]]) -> date | None:
        """The first day that has rows."""
        days = [day for dataset in datasets for day in self._days(dataset)]
        return min(
            (date.fromisoformat(name.removeprefix(f"{DAY}=")) for name in days), default=None
        )

    def layered(self, spark: SparkSession, dataset: type[Dataset], runs: Sequence[int]) -> Dataset:
        """A table as of the last of these layers: each group's rows are those of the newest layer
        that has computed it."""

        def of(run: int, names: str, table: str) -> DataFrame:
            frame = spark.read.schema(names).parquet(self.layers.of(table, run))
            return frame.withColumn(RUN, f.lit(run))

        rows, *more = (of(run, dataset.ddl(), dataset.NAME) for run in runs)
        if not more:
            return dataset(rows.drop(RUN))
        groups, *others = (of(run, "group_id string", GROUPS) for run in runs[1:])
        for other in others:
            groups = groups.union(other)
        for other in more:
            rows = rows.union(other)
        newest = f.broadcast(groups.groupBy("group_id").agg(f.max(RUN).alias("newest")))
        kept = rows.join(newest, "group_id", "left").filter(
            f.col(RUN) >= f.coalesce("newest", f.lit(0))
        )
        return dataset(kept.select(*dataset.names()))

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

    def tidy(self, state: State, datasets: Sequence[type[Dataset]], tables: Sequence[str]) -> None:
        """Delete what no later run needs: other histories, other layers, days of before."""
        own = self.output.address.rpartition("/")
        for name in folders.children(own[0]):
            if name != own[2]:
                folders.delete(f"{own[0]}/{name}")
        for table in (GROUPS, *tables):
            self.layers.keep(table, state.layers)
        self.output.keep(STATES, [state.run])
        for dataset in datasets:
            for name, batches in self._days(dataset).items():
                for batch in batches if name < f"{DAY}={state.since}" else ():
                    folders.delete(f"{batch}/{name}")

    def _days(self, dataset: type[Dataset]) -> dict[str, list[str]]:
        """The folders of days, each with the addresses of the batches that have one."""
        found: dict[str, list[str]] = {}
        for batch in folders.numbered(self._bronze(dataset), BATCH).values():
            for name in folders.children(batch):
                if name.startswith(f"{DAY}="):
                    found.setdefault(name, []).append(batch)
        return found

    def _bronze(self, dataset: type[Dataset]) -> str:
        return f"{self.output.address}/bronze/{dataset.NAME}"

    def _state(self, run: int) -> str:
        return f"{self.output.of(STATES, run)}/state.json"


def code() -> str:
    """What identifies this version of the pipeline: another may compute the same rows otherwise."""
    digest = hashlib.sha256()
    for path in sorted(CODE.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
