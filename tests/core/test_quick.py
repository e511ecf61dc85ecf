"""Values with a quick ``__init__`` are what they would be with that of ``dataclasses``."""

from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from groups.core.values import quick, replaced


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


@dataclass(slots=True)
class Base:
    shared: list[int]


@dataclass(slots=True)
class Derived(Base):
    own: int = 1


def test_a_copy_has_what_is_changed_and_shares_the_rest() -> None:
    value = Value(1, named=5)
    copy = replaced(value, one=2, two="2")
    assert copy == Value(2, "2", [], named=5)
    assert copy.many is value.many
    assert value == Value(1, named=5)
    derived = replaced(Derived([1]), own=2)
    assert (type(derived), derived) == (Derived, Derived([1], 2))


def test_a_copy_has_no_other_fields() -> None:
    with pytest.raises(KeyError, match="colour"):
        replaced(Value(1), colour="red")
