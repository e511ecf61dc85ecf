"""What the pipeline advises on recordings: through its own tables, as of a database's rows."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from pyspark.sql import Row, SparkSession

from pipeline.datasets.dataset import Dataset
from pipeline.datasets.facts import LifeEvents, OwnershipEvents
from pipeline.datasets.journal import Journal
from pipeline.steps.advice import advice
from pipeline.steps.deploys import deploys
from pipeline.steps.lives import lives, ownership
from pipeline.steps.rebalances import rebalances
from pipeline.what_if.fleet_rows import Numbers, journal_rows, life_rows, ownership_rows, renumbered
from pipeline.what_if.recording import Recording


def advised(spark: SparkSession, fleet: Iterable[Recording], at: datetime) -> Sequence[Row]:
    """The advice of the day before that moment."""
    numbers = Numbers()
    rows: dict[type[Dataset], list[tuple[object, ...]]] = {}
    for recording in fleet:
        new = renumbered(recording, numbers)
        made: dict[type[Dataset], Iterable[Mapping[str, Any]]] = {
            LifeEvents: life_rows(recording, new, numbers),
            OwnershipEvents: ownership_rows(recording, new, numbers),
            Journal: journal_rows(recording, numbers),
        }
        for kind, some in made.items():
            rows.setdefault(kind, []).extend(tuple(r[n] for n in kind.names()) for r in some)
    events, owned, journal = (
        spark.createDataFrame(rows[kind], kind.ddl())
        for kind in (LifeEvents, OwnershipEvents, Journal)
    )
    both = lives(LifeEvents(events), at), rebalances(Journal(journal), at)
    known = *both, ownership(OwnershipEvents(owned), at), deploys(*both, at)
    return advice(*known, at).frame.filter("period = '24h'").collect()
