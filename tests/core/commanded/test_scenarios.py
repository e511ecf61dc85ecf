"""Every transcript reads as the rules decide today, and every heading of the design has one."""

from pathlib import Path

import pytest

from tests.core.commanded.scenarios import paths, run
from tests.core.commanded.words import CONDITIONS, QUEUES

HEADINGS = (
    "A. On Coordinator Startup",
    "B. On Coordinator Change/Failover",
    "C. Handle group change",
    "C. Handle group member change",
    "C. Handle topic change",
    "C. Handle topic partition change",
    "D. On Rebalance Handling, 2",
    "D. On Rebalance Handling, 3",
    "D. On Rebalance Handling, 4",
    "D. On Rebalance Handling, 5",
    "Coordinator-Consumer Communication, A. Coordinator Commands Format",
    "B. Coordinator-Side Sending",
    "C. Consumer-Side Handling",
    "A. On Consumer Startup",
    "B. On Consumer Failover",
)
"""The design's sections that say what happens and when."""


@pytest.mark.parametrize("path", paths(), ids=lambda path: path.stem)
def test_the_transcript_matches_the_rules(path: Path) -> None:
    text = path.read_text()
    assert run(text) == text


def test_every_heading_has_a_transcript() -> None:
    transcripts = "\n".join(path.read_text() for path in paths())
    assert not [heading for heading in HEADINGS if f"# {heading}" not in transcripts]


def test_every_condition_and_every_trigger_occurs_in_a_transcript() -> None:
    transcripts = "\n".join(path.read_text() for path in paths())
    assert not [condition for condition in CONDITIONS if f" by {condition}" not in transcripts]
    queued = [
        f"queued {trigger}" in transcripts or f"-started {trigger}" in transcripts
        for trigger in QUEUES
    ]
    assert all(queued), dict(zip(QUEUES, queued, strict=True))
