"""Every transcript of the draft reads as the rules decide today, and every heading has one."""

import pytest

from tests.core.draft.scenarios import paths, run

HEADINGS = (
    "Co-ordinator failover or connection loss to the co-ordinator",
    "Partition changes for subscribed topics",
    "Offset commits during rebalance",
    "Heartbeats during rebalance",
    "Co-ordinator failure during rebalance",
    "Slow consumers",
    "Wildcard Subscription",
    "Consumer id assignment",
    "Failure detection protocol",
)
"""The design's scenarios, and its sections that say what is answered and when."""

CASES = tuple(f"DR-{number:02}" for number in range(1, 11))


@pytest.mark.parametrize("path", paths(), ids=lambda path: path.stem)
def test_the_transcript_matches_the_rules(path: object) -> None:
    text = path.read_text()  # type: ignore[attr-defined]
    assert run(text) == text


def test_every_heading_and_every_case_has_a_transcript() -> None:
    transcripts = "\n".join(path.read_text() for path in paths())
    missing = [name for name in (*HEADINGS, *CASES) if f"# {name}" not in transcripts]
    assert not missing
    steps = [f"# Slow consumers, {step}" for step in range(1, 8)]
    assert not [step for step in steps if step not in transcripts]
    steps = [f"# Co-ordinator failure during rebalance, {step}" for step in range(1, 6)]
    assert not [step for step in steps if step not in transcripts]
