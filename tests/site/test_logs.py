"""Lines of the log: for people and for programs, with any client-supplied text."""

import json
import logging
import sys
from typing import Any

import pytest
from django.db import OperationalError
from hypothesis import given
from hypothesis import strategies as st

from web import log_lines, logs
from web.outages import Outages

AT = "2026-11-23T17:20:57.428Z"
SECONDS = 1_795_454_457.428


def line(form: str, said: str = "rebalanced", *args: Any, **fields: Any) -> str:
    """What a record becomes."""
    error = fields.pop("exc_info", None)
    record = logging.LogRecord("groups.node", logging.WARNING, "", 0, said, args, error)
    record.created = SECONDS
    vars(record).update(fields)
    return logs.formatter(form).format(record)


def test_text_lines_are_readable() -> None:
    written = line("text", "group %r waits", "g", group="a group", moved=3)

    assert written == f"{AT} warning  groups.node: group 'g' waits  group=\"a group\" moved=3"


def test_json_lines_are_parsable() -> None:
    body = json.loads(line("json", "group %r waits", "g", group="a group", moved=3))

    said = {"event": "group 'g' waits", "group": "a group", "moved": 3}
    assert body == {"timestamp": AT, "level": "warning", "logger": "groups.node", **said}


@given(st.text(st.characters(exclude_categories=()), max_size=300))
def test_client_supplied_text_is_one_printable_line(text: str) -> None:
    shown = line("text", "%s", text, group=text)
    written = line("json", "%s", text, group=text)

    assert shown.isprintable() and written.isascii() and written.isprintable()
    assert json.loads(written)["event"] == json.loads(written)["group"] == text


@given(st.text(max_size=200), st.sampled_from(("text", "json")))
def test_the_launcher_passes_lines_on_unchanged(text: str, form: str) -> None:
    own = line(form, "%s", text)
    passed = log_lines.of_process(form, "node 0", own, SECONDS)
    raw = log_lines.of_process(form, "node 0", text, SECONDS)

    assert passed.isprintable() and raw.isprintable()
    if form == "text":
        assert passed == own
    else:
        assert json.loads(passed) == {**json.loads(own), "process": "node 0"}
        assert json.loads(raw)["process"] == "node 0"


@pytest.mark.parametrize("character", ["x", "\x00", "\U0001f980"])
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_long_line_is_truncated_and_stays_valid(form: str, character: str) -> None:
    text = character * 100_000
    written = line(form, "%s", text, group=text, reason=text, trigger=text)

    assert len(written) < log_lines.LINE_CHARACTERS_MAX + 10
    if form == "json":
        assert set(json.loads(written)) > {"timestamp", "event", "group", "reason"}


@pytest.mark.parametrize(
    ("said", "level", "text"),
    [
        ("LOG:  database system is ready", "info", "database system is ready"),
        ("FATAL:  too many connections", "error", "FATAL:  too many connections"),
        ("WARNING:  no", "warning", "WARNING:  no"),
        ("Note: nothing", "info", "Note: nothing"),
    ],
)
def test_postgresql_logs_in_the_same_format(said: str, level: str, text: str) -> None:
    body = json.loads(log_lines.of_process("json", "postgres", said, SECONDS))

    assert body == {"timestamp": AT, "level": level, "event": text, "process": "postgres"}
    shown = log_lines.of_process("text", "postgres", said, SECONDS)
    assert shown == f"{AT} {level:8} {text}"


@pytest.mark.parametrize("form", ["text", "json"])
def test_secrets_of_the_process_are_redacted(form: str, settings: Any) -> None:
    settings.API_TOKEN = "a-token-of-the-installation"
    written = line(
        form,
        "Bearer %s; postgresql://ann:hush@db/x",
        settings.API_TOKEN,
        reason=settings.SECRET_KEY,
        exc_info=(ValueError, ValueError(settings.API_TOKEN), None),
    )

    assert "hush" not in written and settings.API_TOKEN not in written
    assert settings.SECRET_KEY not in written and "ann:***@db" in written


def _failed(error: Exception) -> Any:
    try:
        raise error
    except type(error):
        return sys.exc_info()


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_defect_has_its_traceback_and_an_outage_has_none(form: str) -> None:
    written = line(form, "a round failed", exc_info=_failed(ValueError("first\nsecond\x1b[2J")))
    away = logging.LogRecord(
        "x", logging.ERROR, "", 0, "it failed", (), _failed(OperationalError("gone"))
    )
    assert Outages().filter(away)

    assert "Traceback" in written and "ValueError: first" in written and "\x1b" not in written
    if form == "text":
        assert all(each.startswith("    ") for each in written.splitlines()[1:])
    else:
        assert "\n" not in written
    outage = logs.formatter(form).format(away)
    assert "the database is away: gone" in outage and "Traceback" not in outage
