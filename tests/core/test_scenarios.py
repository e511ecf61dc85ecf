"""Every transcript reads as the rules have it. To accept a change: make scenarios, then review."""

from pathlib import Path

import pytest

from tests.core import scenarios


@pytest.mark.parametrize("path", scenarios.paths(), ids=lambda path: path.stem)
def test_the_transcript_is_what_the_rules_do(path: Path) -> None:
    transcript = path.read_text()
    assert scenarios.run(transcript) == transcript


def test_every_transcript_begins_with_its_title() -> None:
    for path in scenarios.paths():
        assert path.read_text().startswith("# "), path.name
