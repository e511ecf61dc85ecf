"""Operations on real groups of each kind: what was predicted is what happens."""

import asyncio
from random import Random

import pytest

from launcher.installation import Installation
from proof.foresight.acts import Outcome
from proof.foresight.command import run
from proof.foresight.scene import SPEAKS, Where
from tests.installations import TOKEN


@pytest.mark.long
def test_what_was_predicted_happens(installation: Installation) -> None:
    where = Where(installation.kafka, installation.draft, installation.web, TOKEN)
    seed = Random().randrange(10**9)
    outcomes = asyncio.run(run(where, list(SPEAKS), len(SPEAKS), seed))
    assert [one for one in outcomes if not one.is_right] == []
    assert {one.sort for one in outcomes} == set(SPEAKS)


def test_an_exact_prediction_has_to_be_met_exactly() -> None:
    met = Outcome("range", "leave", "exact", 3, 3, shares_differ=False)
    assert met.is_right
    assert not met._replace(seen=4).is_right
    assert not met._replace(shares_differ=True).is_right
    assert met._replace(accuracy="estimated", seen=4).is_right
    assert not met._replace(accuracy="unknown").is_right
