"""The model of lease, takeover and write: right as built, and wrong in every weaker variant."""

import pytest

from proof.model.fencing import VARIANTS, Model
from proof.model.search import search

AS_BUILT = VARIANTS["as built"]
WEAKER = {
    "no guard": "landed in epoch",
    "owner only": "landed in epoch",
    "epoch only": "written over",
    "revision only": "landed in epoch",
    "select, then update": "landed in epoch",
    "key share": "landed in epoch",
    "answer before commit": "not stored",
    "unknown taken for done": "not stored",
}


@pytest.mark.parametrize(
    ("nodes", "epochs", "generations"),
    [
        (2, 3, 4),
        pytest.param(2, 4, 4, marks=pytest.mark.long),
        pytest.param(3, 3, 4, marks=pytest.mark.long),
        pytest.param(3, 4, 3, marks=pytest.mark.long),
    ],
)
def test_no_interleaving_breaks_the_protocol(nodes: int, epochs: int, generations: int) -> None:
    found = search(Model(AS_BUILT, nodes=nodes, tasks=2, epochs=epochs, generations=generations))

    assert found.broken == ""
    assert found.states > 10_000


@pytest.mark.parametrize("variant", sorted(WEAKER))
def test_a_weaker_guard_breaks_and_its_counterexample_is_short(variant: str) -> None:
    found = search(Model(VARIANTS[variant]))

    assert WEAKER[variant] in found.broken
    assert 3 <= len(found.story) <= 7


def test_every_variant_is_explored() -> None:
    assert {"as built", *WEAKER} == VARIANTS.keys()
