"""Nothing that a group decides changes unnoticed. To accept a change: make scenarios, then review
(docs/testing.md, *Walks*)."""

from itertools import zip_longest

import pytest

from tests.walks import recorded
from tests.walks.life import PEOPLE


@pytest.mark.parametrize("seed", range(recorded.LIVES))
@pytest.mark.parametrize("kind", PEOPLE)
def test_a_life_is_what_it_was_when_the_rules_were_changed_last(kind: str, seed: int) -> None:
    before, now = recorded.recorded(kind)[seed], recorded.lived(kind, seed)
    pairs = enumerate(zip_longest(before, now))
    parted = next((at for at, (was, is_) in pairs if was != is_), None)
    if parted is not None:
        told = recorded.in_words(kind, seed, parted + 1).rpartition("\n")[2]
        pytest.fail(
            f"step {parted} of {kind} {seed} is another now:\n{told}\n"
            f"(python -m tests.walks.recorded {kind} {seed} tells the life in words)"
        )
