"""What real processes have written: the demo's clients beside a node that was restarted, and the
members and nodes of a chaos run. Every table and report is as DuckDB computes it."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.pipeline.conftest import query
from tests.pipeline.real_journals import FOLDER, load
from tests.pipeline.test_increments import Analyse, analyse
from tests.pipeline.test_oracle import assert_oracle_agrees

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(600),
]

__all__ = ["analyse"]

MAY_BE_EMPTY = ("advice", "deploys", "progress", "partition_hours", "silence", "silences")
"""Nobody was deployed, and a chaos run may end within an hour of the clock."""

RECORDINGS = sorted(FOLDER.glob("*.xz"))


def test_there_are_recordings() -> None:
    assert [path.stem for path in RECORDINGS] == ["chaos", "demo"]


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.stem)
def test_what_was_recorded_is_as_the_oracle_has_it(
    spark: SparkSession, url: str, analyse: Analyse, recording: Path
) -> None:
    load(url, recording)
    ((last,),) = query(url, "SELECT max(at) FROM rollcall_journal")
    assert isinstance(last, datetime)
    at = last + timedelta(minutes=1)
    done = analyse(at, is_incremental=False)
    assert done.events > 40
    assert_oracle_agrees(spark, url, done, at, MAY_BE_EMPTY)
