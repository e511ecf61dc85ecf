"""Values with a quick ``__init__`` are what they would be with that of ``dataclasses``."""

from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from groups.core.quick import quick


@quick
@dataclass(frozen=True, slots=True)
class Value:
    one: int
    two: str = "two"
    many: list[int] = field(default_factory=list)
    named: int = field(default=4, kw_only=True)


def test_it_accepts_the_same_arguments() -> None:
    assert Value(1) == Value(1, "two", [], named=4)
    assert repr(Value(1, named=5)) == "Value(one=1, two='two', many=[], named=5)"
    assert replace(Value(1), one=2) == Value(2)
    assert Value(1).many is not Value(1).many
    with pytest.raises(TypeError):
        Value()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Value(1, "", [], 5)  # type: ignore[call-arg]


def test_it_is_frozen_too() -> None:
    with pytest.raises(FrozenInstanceError):
        Value(1).one = 2  # type: ignore[misc]
