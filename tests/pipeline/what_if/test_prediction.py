"""A session timeout that advice proposes is tried by what-if, and then run for real: what was
predicted beside what is seen."""

import argparse
from datetime import UTC, datetime

import pytest
from pyspark.sql import SparkSession

from pipeline.datasets.facts import LifeEvents
from pipeline.datasets.journal import Journal
from pipeline.datasets.lives import Ownership
from pipeline.steps.advice import advice
from pipeline.steps.deploys import deploys
from pipeline.steps.lives import lives
from pipeline.steps.rebalances import rebalances
from pipeline.what_if import command
from pipeline.what_if.answers import answer
from pipeline.what_if.figures import total
from pipeline.what_if.fleet_rows import Numbers, journal_rows, life_rows, renumbered
from pipeline.what_if.recording import Recording
from pipeline.what_if.replay import recorded_hours
from tests.pipeline.what_if.recorded import RULES, recorded

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]

HOURS = 4.0

NEAR, NEAR_TOGETHER = 0.25, 0.1
"""By so much of what is seen a figure of four hours of one group may be wrong, and the cost.
(Stalls that end no life are predicted, and not recorded.)"""


def proposed(spark: SparkSession, recording: Recording) -> argparse.Namespace:
    """The options of ``what-if`` that the advice of the longest pause names."""
    numbers = Numbers()
    new = renumbered(recording, numbers)
    rows = {
        LifeEvents: list(life_rows(recording, new, numbers)),
        Journal: list(journal_rows(recording, numbers)),
    }
    events, journal = (
        spark.createDataFrame([tuple(r[name] for name in kind.names()) for r in some], kind.ddl())
        for kind, some in rows.items()
    )
    at = datetime.fromtimestamp(recording.end / 1_000, UTC)
    both = lives(LifeEvents(events), at), rebalances(Journal(journal), at)
    nobody = Ownership(spark.createDataFrame([], Ownership.ddl()))
    told = advice(*both, nobody, deploys(*both, at), at).frame
    found = told.filter("rule = 'session-timeout' AND period = 'all'").orderBy("what_if").collect()
    parser = argparse.ArgumentParser()
    command.add_to(parser.add_subparsers(), "somebody")
    longest = max(int(row["what_if"].split()[-1]) for row in found)
    (words,) = {row["what_if"] for row in found if row["what_if"].endswith(f" {longest}")}
    return parser.parse_args(["what-if", *words.split()])


@pytest.mark.parametrize(("kind", "seed"), [("classic", 3), ("consumer", 5)])
def test_what_is_predicted_is_seen(spark: SparkSession, kind: str, seed: int) -> None:
    before = recorded(kind, seed, HOURS)
    change = command.change_of(proposed(spark, before))
    assert change.session_ms is not None
    assert change.session_ms > 10_000
    predicted = answer(before, RULES, change)
    seen = total(recorded_hours(recorded(kind, seed, HOURS, change.session_ms)))
    assert predicted.refused == ""
    for name in ("rebalances", "moves", "stopped_ms", "silent_ms", "unowned_ms"):
        assert getattr(predicted.changed, name) == pytest.approx(getattr(seen, name), rel=NEAR)
    assert predicted.changed.cost_ms - predicted.changed.stalled_ms == pytest.approx(
        seen.cost_ms, rel=NEAR_TOGETHER
    )
