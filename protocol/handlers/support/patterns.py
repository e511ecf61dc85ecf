"""Subscriptions by pattern, where an authorizer is on.

Kafka leaves out of a match what the member may not describe. Here a match belongs to its group,
which outlives its members and nodes, so a pattern is let in only where every topic that it can
ever match may be described: it begins with plain characters, and a rule covers all names that
begin so (docs/acls.md).
"""

import re
from typing import Final

from groups.core.acls.bindings import Operation, ResourceType
from groups.core.errors import ErrorCode, Refuse
from protocol.authorization.access import Open

ANYTHING: Final = ".*"

REFUSED: Final = "A pattern may only match topics that the client may describe (docs/acls.md)."

_PLAIN: Final = re.compile(r"\^?((?:[A-Za-z0-9_-]|\\[.-])*)")
_OPTIONAL: Final = re.compile(r"[?*{+]|\\Q|\(\?[A-Za-z-]*\)")
"""What makes the character before it one that need not be there, or may be followed by that: RE2
lets a repetition reach across flags (``a(?i)*``) and across an empty quotation (``a\\Q\\E*``)."""


def check(pattern: str | None, access: Open) -> None:
    """Refuse a pattern that could match topics which the client may not describe."""
    if not pattern or not access.is_on:
        return
    if not access.may_all(Operation.DESCRIBE, ResourceType.TOPIC, prefix(pattern)):
        raise Refuse(ErrorCode.TOPIC_AUTHORIZATION_FAILED, REFUSED)


def prefix(pattern: str) -> str:
    """What every name begins with that the whole pattern matches; "" where that is not plain."""
    match = _PLAIN.match(pattern)
    if match is None or "|" in pattern:
        return ""
    found = match[1].replace("\\", "")
    return found[:-1] if _OPTIONAL.match(pattern, match.end()) else found
