"""Columns and order of many rows: those of ``zip`` and ``sorted``, without their long calls."""

import gc
import sys
import time
from collections.abc import Callable, Iterator
from operator import itemgetter
from random import Random
from threading import Thread
from typing import Any

import pytest

from groups.postgres.array_literals import AT_ONCE, array, columns, in_order

MANY = 150_000
TRIES = 3


def rows_of(count: int) -> list[tuple[str, str, int]]:
    """Keys of offsets in no order, as of several groups."""
    keys = [(f"g{number % 7}", f"t{number % 50}", number) for number in range(count)]
    Random(1).shuffle(keys)
    return keys


@pytest.mark.parametrize("count", [1, AT_ONCE, AT_ONCE + 1, 3 * AT_ONCE])
def test_they_are_those_of_zip_and_sorted(count: int) -> None:
    rows = rows_of(count)
    assert list(map(list, columns(rows))) == list(map(list, zip(*rows, strict=True)))
    assert in_order(rows) == in_order(dict.fromkeys(rows)) == sorted(rows)
    by_topic = itemgetter(1)
    assert in_order(rows, by_topic) == sorted(rows, key=by_topic), "equal keys keep their order"


@pytest.fixture
def _quick_switches() -> Iterator[None]:
    """As in a node; and no collections, which stop all threads too."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.001)
    gc.disable()
    yield
    gc.enable()
    sys.setswitchinterval(before)


def longest_gap_s(work: Callable[[], Any]) -> float:
    """The longest time that this thread waits for the interpreter beside a thread with the work;
    the least of some tries. In the processor's time: others on the machine change it less."""
    return min(_gap_s(work) for _ in range(TRIES))


def _gap_s(work: Callable[[], Any]) -> float:
    thread = Thread(target=work)
    longest, last = 0.0, time.process_time()
    thread.start()
    while thread.is_alive():
        time.sleep(0)
        now = time.process_time()
        longest, last = max(longest, now - last), now
    return max(longest, time.process_time() - last)  # it may have ended before the first look


@pytest.mark.long
@pytest.mark.usefixtures("_quick_switches")
@pytest.mark.parametrize(
    ("at_once", "in_steps"),
    [
        (lambda rows: list(zip(*rows, strict=True)), columns),
        (sorted, in_order),
        (
            lambda rows: ",".join(map(str, range(5 * len(rows)))),
            lambda rows: array(range(5 * len(rows))),
        ),
    ],
)
def test_other_threads_get_the_interpreter_meanwhile(
    at_once: Callable[[Any], Any], in_steps: Callable[[Any], Any]
) -> None:
    rows = rows_of(MANY)
    assert longest_gap_s(lambda: in_steps(rows)) < longest_gap_s(lambda: at_once(rows)) / 3
