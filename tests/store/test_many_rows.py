"""Columns and order of many rows: those of ``zip`` and ``sorted``, without their long calls."""

import builtins
from collections.abc import Callable, Mapping, Sized
from operator import itemgetter
from random import Random
from typing import Any

import pytest

from groups.postgres import array_literals
from groups.postgres.array_literals import AT_ONCE, array, columns, in_order, integers, texts


def rows_of(count: int) -> list[tuple[str, str, int]]:
    """Keys of offsets in no order, as of several groups."""
    keys = [(f"g{number % 7}", f"t{number % 50}", number) for number in range(count)]
    Random(1).shuffle(keys)
    return keys


@pytest.mark.parametrize("count", [1, AT_ONCE, AT_ONCE + 1, 3 * AT_ONCE])
def test_results_equal_those_of_zip_and_sorted(count: int) -> None:
    rows = rows_of(count)
    assert list(map(list, columns(rows))) == list(map(list, zip(*rows, strict=True)))
    assert in_order(rows) == in_order(dict.fromkeys(rows)) == sorted(rows)
    by_topic = itemgetter(1)
    assert in_order(rows, by_topic) == sorted(rows, key=by_topic), "equal keys keep their order"


def calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of values of each call in C that processes many, as it is made from now on."""
    found: list[int] = []

    def noted(real: Callable[..., Any], values_of: Callable[..., Sized]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            found.append(len(values_of(*given)))
            return real(*given, **named)

        return call

    many: Mapping[str, Callable[..., Sized]] = {
        "sorted": lambda rows: rows,
        "zip": lambda *rows: rows,
        "map": lambda _work, column: column,
    }
    for name, values_of in many.items():
        real = getattr(builtins, name)
        monkeypatch.setattr(array_literals, name, noted(real, values_of), raising=False)
    monkeypatch.setattr(array_literals, "texts", noted(texts, lambda column: column))
    return found


@pytest.mark.parametrize("count", [AT_ONCE, AT_ONCE + 1, 20 * AT_ONCE])
@pytest.mark.parametrize(
    "work",
    [
        columns,
        in_order,
        lambda rows: array(range(len(rows))),
        lambda rows: array([str(row) for row in rows]),
        lambda rows: integers([range(len(rows)), range(2)]),
    ],
    ids=["columns", "in-order", "integers", "texts", "columns-of-integers"],
)
def test_no_c_call_blocks_the_interpreter_for_many_rows(
    work: Callable[[Any], Any], count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No other thread gets it meanwhile: 100,000 rows took a tenth of a second."""
    rows = rows_of(count)
    found = calls(monkeypatch)
    work(rows)
    assert max(found, default=0) <= AT_ONCE
    assert count > AT_ONCE or found, "few are left to one call"
