"""One line of the log, whoever says it: for people, or JSON for programs (``log.format``).

Group ids, client ids and reasons are what strangers sent: nothing of them moves a cursor, begins
another line or turns the direction of the text. Standard library only: the launcher writes lines
too, its own and those of PostgreSQL.
"""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

TEXT, JSON = "text", "json"

LINE_CHARACTERS_MAX: Final = 8_000
"""A longer one is cut: some hold a client's own text, and the launcher reads so much at once."""

LEVEL_WIDTH: Final = 8

PLAIN_VALUE = re.compile(r"[^\s\"'=\\]+")
"""A value that needs no quotes."""

STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z ")

POSTGRES: Final[Mapping[str, str]] = {
    "DEBUG": "debug",
    "LOG": "info",
    "INFO": "info",
    "NOTICE": "info",
    "WARNING": "warning",
    "ERROR": "error",
    "FATAL": "error",
    "PANIC": "critical",
    "DETAIL": "info",
    "HINT": "info",
    "CONTEXT": "info",
    "STATEMENT": "info",
}
"""PostgreSQL's words at the beginning of a line. FATAL ends one session, and no server."""


def stamp(at: float) -> str:
    """Seconds since 1970 as ISO 8601 has them: UTC, to the millisecond."""
    told = datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")
    return told.replace("+00:00", "Z")


def escaped(text: str) -> str:
    """``text`` in one line of printable characters; what is not is written as Python writes it."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else _escape(each) for each in text)


def _escape(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def for_people(at: str, level: str, name: str, said: str, fields: Mapping[str, Any]) -> str:
    """``TIME level name: what was said  key=value ...``."""
    pairs = "".join(f" {key}={_value(value)}" for key, value in fields.items())
    head = f"{at} {level:{LEVEL_WIDTH}} {name}: {escaped(said)}"
    return _cut(f"{head} {pairs}" if pairs else head)


def _value(value: Any) -> str:
    text = str(value)
    if PLAIN_VALUE.fullmatch(text) and text.isprintable():
        return text
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped(quoted)}"'


def for_programs(fields: Mapping[str, Any]) -> str:
    """One object of JSON in ASCII; texts are cut where it would be too long."""
    line = json.dumps(fields, default=str)
    if len(line) <= LINE_CHARACTERS_MAX:
        return line
    texts = sum(isinstance(value, str) for value in fields.values())
    most = LINE_CHARACTERS_MAX // (14 * (texts or 1))  # an escaped character is twelve at the most
    return json.dumps({key: _shortened(value, most) for key, value in fields.items()}, default=str)


def _shortened(value: Any, most: int) -> Any:
    """The beginning of a text; its end, where it is a traceback: there the error stands."""
    if not isinstance(value, str):
        value = value if isinstance(value, int | float | None) else str(value)
        if not isinstance(value, str):
            return value
    if len(value) <= most:
        return value
    return f"... {value[-most:]}" if value.startswith("Traceback") else f"{value[:most]} ..."


def _cut(line: str) -> str:
    return line if len(line) <= LINE_CHARACTERS_MAX else f"{line[:LINE_CHARACTERS_MAX]} ..."


def of_process(form: str, process: str, text: str, at: float) -> str:
    """A line that some process said, whatever wrote it there, in the form that is asked for.

    Rollcall's programs write lines of that form already; a library, an interpreter that dies, and
    PostgreSQL do not. A line that begins with a blank goes on with the one before.
    """
    if form == JSON:
        return _json_of_process(process, text, at)
    if STAMP.match(text) or text[:1] == " ":
        return escaped(text)
    if text[:1] == "\t":
        return f"    {escaped(text.strip())}"
    level, said = _leveled(text)
    return f"{stamp(at)} {level:{LEVEL_WIDTH}} {escaped(said)}"


def _json_of_process(process: str, text: str, at: float) -> str:
    told = None
    if text[:1] == "{":
        try:
            told = json.loads(text)
        except ValueError:
            told = None
    if not isinstance(told, dict):
        level, said = _leveled(text)
        told = {"timestamp": stamp(at), "level": level, "event": said.rstrip()}
    return for_programs({**told, "process": process})


def _leveled(text: str) -> tuple[str, str]:
    """The level, and what was said: PostgreSQL's word for what is nothing special is left out."""
    word, colon, rest = text.partition(":")
    level = POSTGRES.get(word) if colon else None
    if level is None:
        return "info", text
    return level, rest.strip() if word == "LOG" else text
