"""The log of the processes, rendered by structlog: all code logs by the standard library.

A line has a time, a level, a logger, a message and, from ``extra=``, fields. The secrets of this
process are removed from all lines.
"""

import re
import traceback
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, Final

import structlog
from django.conf import settings

from web import log_lines

HIDDEN: Final = "***"
SECRET_LENGTH_MIN: Final = 6
"""Shorter ones would match ordinary text, and can be guessed anyway."""

SECRETS: Final = ("SECRET_KEY", "API_TOKEN", "METRICS_TOKEN")

PASSWORD_IN_URL = re.compile(r"(://[^\s:/@]*:)[^\s@/]+@")

FIELDS: Final = (
    "group",
    "trigger",
    "reason",
    "generation",
    "members",
    "moved",
    "duration_ms",
    "endpoint",
    "delivery",
)
"""The fields of ``extra=`` that appear in a line, in this order; others are ignored."""

HEAD: Final = ("timestamp", "level", "logger", "event")

Event = MutableMapping[str, Any]

TRACEBACK_LINES_MAX: Final = 60


def formatter(form: str) -> structlog.stdlib.ProcessorFormatter:
    """The formatter that ``LOGGING`` uses for ``log.format``."""
    render = as_json if form == log_lines.JSON else as_text
    return structlog.stdlib.ProcessorFormatter(processors=[gathered, render])


def gathered(_logger: Any, _name: str, event: Event) -> Event:
    """A record as the fields of its line."""
    record = event["_record"]
    fields: Event = {
        "timestamp": log_lines.stamp(record.created),
        "level": record.levelname.lower(),
        "logger": record.name,
        "event": str(event["event"]),
    }
    attributes = vars(record)
    fields.update((name, attributes[name]) for name in FIELDS if name in attributes)
    trace = "".join(_trace(event))
    if trace:
        fields["exception"] = trace
    return {key: _without_secrets(value) for key, value in fields.items()}


def _trace(event: Mapping[str, Any]) -> Iterator[str]:
    """The traceback of a record, in lines; its end, if it is long."""
    error = event.get("exc_info")
    if error:
        lines = "".join(traceback.format_exception(*error)).splitlines(keepends=True)
        if len(lines) > TRACEBACK_LINES_MAX:
            lines = [lines[0], "  ...\n", *lines[-TRACEBACK_LINES_MAX:]]
        yield from lines
    if event.get("stack_info"):
        yield str(event["stack_info"])


def _without_secrets(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    for secret in _secrets():
        if secret in value:
            value = value.replace(secret, HIDDEN)
    return PASSWORD_IN_URL.sub(rf"\1{HIDDEN}@", value) if "://" in value else value


def _secrets() -> Iterator[str]:
    """The secrets of this process; read each time, since a fork has others than its parent."""
    values = [getattr(settings, name, "") for name in SECRETS]
    values += [entry.get("PASSWORD") or "" for entry in settings.DATABASES.values()]
    values += getattr(settings, "DATABASE_LOGINS", {}).values()
    return (secret for secret in values if len(secret) >= SECRET_LENGTH_MIN)


def as_json(_logger: Any, _name: str, event: Event) -> str:
    """For programs."""
    return log_lines.for_programs(event)


def as_text(_logger: Any, _name: str, event: Event) -> str:
    """For people: one line, and below it a traceback, indented."""
    at, level, name, message = (event.pop(each) for each in HEAD)
    trace = event.pop("exception", "")
    line = log_lines.for_people(at, level, name, message, event)
    return "\n".join([line, *(f"    {log_lines.escaped(each)}" for each in trace.splitlines())])
