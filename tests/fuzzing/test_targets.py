"""The targets of ``make fuzz`` with a few bytes by chance, and that each would find a mistake."""

import pytest

from protocol.authentication.sasl import Rejected
from rollcall.wire.codec import FrameBuffer
from rollcall.wire.errors import WireError
from tests.fuzzing import targets
from tests.fuzzing.targets import TARGETS, seeds
from tests.wire.samples import chance, times

MUTANTS = times(3)
MUTANTS_MAX = 2_000


@pytest.mark.parametrize("name", TARGETS)
def test_arbitrary_bytes_reveal_no_defect(name: str) -> None:
    rng, tried = chance("fuzzing", name), TARGETS[name]
    for seed in list(seeds(name, rng))[:MUTANTS_MAX]:
        tried(seed)
        for _ in range(MUTANTS):
            mutant = bytearray(seed)
            for _ in range(rng.randrange(1, 4)):
                mutant[rng.randrange(len(mutant))] = rng.randrange(256)
            tried(bytes(mutant[: rng.randrange(len(mutant) + 1)]))
    tried(b"")


def _only_the_last(buffer: FrameBuffer, data: bytes) -> None:
    """A buffer that forgets what it holds."""
    buffer.held = bytearray(data)


@pytest.mark.parametrize(
    ("name", "part", "broken"),
    [
        ("frames", "FrameBuffer", type("Lost", (FrameBuffer,), {"feed": _only_the_last})),
        ("header", "parse_header", lambda data, _flexible: (None, len(data) + 1)),
        ("messages", "encode", lambda message, version: b""),
        ("subscriptions", "topics_of", lambda data: None),
        ("sasl", "Rejected", WireError),
    ],
)
def test_each_target_detects_a_planted_defect(
    name: str, part: str, broken: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = list(seeds(name, chance("seeds")))
    monkeypatch.setattr(targets, part, broken)
    assert any(_fails(name, seed) for seed in first)


def _fails(name: str, data: bytes) -> bool:
    try:
        TARGETS[name](data)
    except (AssertionError, WireError, Rejected):
        return True
    return False
