"""The log: ten lines a second of each kind, then how many more there were."""

import io
import logging
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings

from web import log_lines, logs
from web.log_limits import LINES_MAX, WINDOW_S, LimitedHandler


class Clock:
    """Seconds that pass when a test says so; far from the end of any window by itself."""

    now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Log:
    """A logger with a handler of its own, and what it wrote."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.written = io.StringIO()
        self.handler = LimitedHandler(self.clock)
        self.handler.setStream(self.written)
        self.logger = logging.Logger("refusals", logging.INFO)
        self.logger.addHandler(self.handler)

    @property
    def lines(self) -> list[str]:
        """Every line so far."""
        return self.written.getvalue().splitlines()


@pytest.fixture
def log() -> Iterator[Log]:
    """A log without lines."""
    made = Log()
    yield made
    made.handler.close()


def test_of_one_kind_ten_lines_are_written_and_the_others_counted(log: Log) -> None:
    for n in range(1_000):
        log.logger.warning("refused %s", n)
    assert log.lines == [f"refused {n}" for n in range(LINES_MAX)]

    log.clock.now += WINDOW_S
    log.logger.warning("refused %s", "again")

    assert log.lines[LINES_MAX:] == [
        "990 more of this within a second, the last: refused 999",
        "refused again",
    ]


def test_the_count_is_written_after_a_while_without_further_lines(log: Log) -> None:
    for n in range(LINES_MAX + 5):
        log.logger.warning("refused %s", n)

    # Other handlers of this process have some, too; so has the time limit of this test.
    timers = [each for each in threading.enumerate() if isinstance(each, threading.Timer)]
    for timer in timers:
        if isinstance(getattr(timer.function, "__self__", None), LimitedHandler):
            timer.join()
    assert log.lines[-1] == f"5 more of this within a second, the last: refused {LINES_MAX + 4}"


@pytest.mark.parametrize(
    ("text", "values", "told"),
    [
        ("%s %s: %s", ("POST", "/x", 503), "POST /x: 503"),
        ("of %(group)s", ({"group": "g"},), "of g"),
        ("100 %", (), "100 %"),
        ("%d of %d", ("one",), "%d of %d"),
    ],
)
def test_the_last_suppressed_line_is_formatted_like_a_written_one(
    text: str, values: tuple[Any, ...], told: str, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging, "raiseExceptions", False)
    for _ in range(LINES_MAX + 1):
        log.logger.warning(text, *values)
    log.clock.now += WINDOW_S
    log.logger.warning(text, *values)

    assert f"1 more of this within a second, the last: {told}" in log.lines


def test_the_last_suppressed_line_is_redacted_and_truncated(log: Log) -> None:
    log.handler.setFormatter(logs.formatter("text"))
    for n in range(LINES_MAX + 2):
        log.logger.warning("at %s", f"http://me:pass{n}word@host/{'x' * 20_000}")
    log.clock.now += WINDOW_S
    log.logger.warning("at %s", "")

    last = log.lines[-2]
    assert "2 more of this" in last and "http://me:***@host/xxx" in last and "word" not in last
    assert len(last) < 2 * log_lines.LINE_CHARACTERS_MAX


def test_other_kinds_are_still_logged(log: Log) -> None:
    for n in range(100):
        log.logger.warning("refused %s", n)
    log.logger.warning("closed %s", 1)
    log.logger.error("refused %s", 2)

    assert log.lines[LINES_MAX:] == ["closed 1", "refused 2"]


def test_exempt_lines_are_always_logged(log: Log) -> None:
    for n in range(100):
        log.logger.info("%s did it", n, extra={"is_one_of_many": False})

    assert len(log.lines) == 100


def test_every_process_limits_its_log() -> None:
    configured: Any = settings.LOGGING
    (handler,) = configured["handlers"].values()

    assert handler["class"] == f"{LimitedHandler.__module__}.{LimitedHandler.__qualname__}"
