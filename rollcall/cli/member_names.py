"""Which member a command means: by its id, its instance id, or the name that sentences use."""

import re
from collections.abc import Sequence
from typing import Any, Final

from rollcall.cli.failures import Code, Failure
from rollcall.cli.rest import Rest, Row

NAMED_MAX: Final = 10
"""Candidates that a message lists."""

WITH_SHORT_ID: Final = re.compile(r"(?P<name>.+) \(?(?P<short>[^ ()]{8})\)?")
"""A name in a sentence where several members have it, "ben (1c0ffee1)", or where one has none,
"member 1c0ffee1"."""


def member_of(rest: Rest, group: str, text: str) -> str:
    """The id of the only member of a group that a text names.

    Raises ``Failure`` that lists the candidates if there are several. A text that names no member
    is returned as it is: REST says what it knows of it, for instance of a stopped member that is
    gone.
    """
    members = list(rest.pages("/group/members", group_id=group))
    found = candidates(members, text)
    if len(found) > 1:
        named = "".join(f"\n  {_line(member)}" for member in found[:NAMED_MAX])
        more = len(found) - NAMED_MAX
        named += f"\n  and {more} more" if more > 0 else ""
        sentence = f"{len(found)} members of {group} are named {text}; name one by its id:{named}"
        raise Failure(Code.CONFLICT, sentence)
    return str(found[0]["member_id"]) if found else text


def candidates(members: Sequence[Row], text: str) -> Sequence[Row]:
    """The members that a text may mean: those with this id, or this instance id, or client id."""
    for field in ("member_id", "instance_id", "client_id"):
        found = [member for member in members if text and member[field] == text]
        if found:
            return found
    match = WITH_SHORT_ID.fullmatch(text)
    if match is None:
        return []
    return [
        member
        for member in members
        if match["name"] in (member["client_id"], member["instance_id"], "member")
        and match["short"] in member["member_id"]
    ]


def _line(member: Row) -> str:
    words: dict[str, Any] = {"client": member["client_id"], "host": member["client_host"]}
    told = ", ".join(f"{name} {value}" for name, value in words.items() if value)
    return f"{member['member_id']} ({told})"
