"""Subscriptions by pattern, where an authorizer is on.

Kafka removes topics that the member may not describe from the match. Here a match belongs to the
group, which outlives its members and nodes. So a pattern is accepted only if the client may
describe every topic that it could match: it begins with literal characters, and a rule covers all
names with this prefix (docs/acls.md).
"""

import re
from typing import Final

from groups.core.acls.bindings import AclOperation, ResourceType
from groups.core.errors import ErrorCode, Refuse
from protocol.requests.access import Open

ANYTHING: Final = ".*"

REFUSED: Final = "A pattern may only match topics that the client may describe (docs/acls.md)."

_PLAIN: Final = re.compile(r"\^?((?:[A-Za-z0-9_-]|\\[.-])*)")
_OPTIONAL: Final = re.compile(r"[?*{+]|\\Q|\(\?[A-Za-z-]*\)")
"""Characters that make the one before them optional, or may be followed by such: RE2 allows a
repetition to follow flags (``a(?i)*``) or an empty quotation (``a\\Q\\E*``)."""


def check(pattern: str | None, access: Open) -> None:
    """Refuse a pattern that could match topics which the client may not describe."""
    if not pattern or not access.is_on:
        return
    if not access.may_all(AclOperation.DESCRIBE, ResourceType.TOPIC, prefix(pattern)):
        raise Refuse(ErrorCode.TOPIC_AUTHORIZATION_FAILED, REFUSED)


def prefix(pattern: str) -> str:
    """The literal prefix of every name that the whole pattern matches; "" if there is none."""
    match = _PLAIN.match(pattern)
    if match is None or "|" in pattern:
        return ""
    found = match[1].replace("\\", "")
    return found[:-1] if _OPTIONAL.match(pattern, match.end()) else found
