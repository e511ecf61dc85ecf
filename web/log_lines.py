"""The format of a log line, whatever writes it: for people, or JSON for programs (``log.format``).

Group ids, client ids and reasons come from untrusted clients: they are escaped, so that they cannot
move the cursor, begin another line or turn the direction of the text. Standard library only: the
launcher writes lines too, its own and those of PostgreSQL.
"""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

TEXT, JSON = "text", "json"

LINE_CHARACTERS_MAX: Final = 8_000
"""A longer line is cut: some contain a client's own text, and the launcher reads at most this much
at once."""

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
"""PostgreSQL's level names at the beginning of a line. FATAL ends one session, not the server."""


def stamp(at: float) -> str:
    """Seconds since 1970 in ISO 8601: UTC, to the millisecond."""
    text = datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def escaped(text: str) -> str:
    """``text`` in one line of printable characters; all others are escaped as in Python."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else _escape(each) for each in text)


def _escape(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def for_people(at: str, level: str, name: str, message: str, fields: Mapping[str, Any]) -> str:
    """``TIME level name: message  key=value ...``."""
    pairs = "".join(f" {key}={_value(value)}" for key, value in fields.items())
    head = f"{at} {level:{LEVEL_WIDTH}} {name}: {escaped(message)}"
    return _cut(f"{head} {pairs}" if pairs else head)


def _value(value: Any) -> str:
    text = str(value)
    if PLAIN_VALUE.fullmatch(text) and text.isprintable():
        return text
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped(quoted)}"'


def for_programs(fields: Mapping[str, Any]) -> str:
    """One JSON object in ASCII; texts are cut if it would be too long."""
    line = json.dumps(fields, default=str)
    if len(line) <= LINE_CHARACTERS_MAX:
        return line
    texts = sum(isinstance(value, str) for value in fields.values())
    most = LINE_CHARACTERS_MAX // (14 * (texts or 1))  # an escaped character takes at most twelve
    return json.dumps({key: _shortened(value, most) for key, value in fields.items()}, default=str)


def _shortened(value: Any, most: int) -> Any:
    """The beginning of a text; the end of a traceback, because the error is there."""
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
    """A line of a process's output, whatever wrote it, in the configured format.

    Rollcall's programs write lines of that format already; libraries, an interpreter that crashes,
    and PostgreSQL do not. A line that begins with a blank continues the one before.
    """
    if form == JSON:
        return _json_of_process(process, text, at)
    if STAMP.match(text) or text[:1] == " ":
        return escaped(text)
    if text[:1] == "\t":
        return f"    {escaped(text.strip())}"
    level, message = _leveled(text)
    return f"{stamp(at)} {level:{LEVEL_WIDTH}} {escaped(message)}"


def _json_of_process(process: str, text: str, at: float) -> str:
    fields = None
    if text[:1] == "{":
        try:
            fields = json.loads(text)
        except ValueError:
            fields = None
    if not isinstance(fields, dict):
        level, message = _leveled(text)
        fields = {"timestamp": stamp(at), "level": level, "event": message.rstrip()}
    return for_programs({**fields, "process": process})


def _leveled(text: str) -> tuple[str, str]:
    """The level and the message; PostgreSQL's word for an ordinary message is left out."""
    word, colon, rest = text.partition(":")
    level = POSTGRES.get(word) if colon else None
    if level is None:
        return "info", text
    return level, rest.strip() if word == "LOG" else text
