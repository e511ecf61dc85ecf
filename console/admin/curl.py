"""Shell commands that request the same as a page: with curl for REST, and with ``rollcall``."""

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote, urlencode

from django.http import HttpRequest

from console.admin.links import DOTS

REASON: Final = {"reason": "WHY"}
"""A placeholder, to be filled in."""

WHY: Final = ("--reason", "WHY")
"""The same in the body."""


def curl(
    request: HttpRequest,
    method: str,
    path: str,
    *ids: str,
    body: Mapping[str, Any] | None = REASON,
    query: Mapping[str, str] | None = None,
) -> str:
    """``path``: below /api/v1/, with {} for each id. The token is a variable of the shell."""
    if path.startswith("groups/{}") and ids[0] in DOTS:  # curl would take it out of the path
        path, query, ids = path.replace("groups/{}", "group"), {"group_id": ids[0]}, ids[1:]
    named = path.format(*(quote(one, safe="") for one in ids))
    if query:
        named = f"{named}?{urlencode(query, quote_via=quote)}"
    url = request.build_absolute_uri(f"/api/v1/{named}")
    parts = ["curl", "-X", method, "-H", '"Authorization: Bearer $TOKEN"']
    if body is not None:
        parts += ["-H", '"Content-Type: application/json"', "-d", shlex.quote(json.dumps(body))]
    return " ".join([*parts, shlex.quote(url)])


def cli(*words: str, ids: Sequence[str] = (), options: Sequence[str] = WHY) -> str:
    """The command of docs/cli.md. An id that looks like an option comes after "--"."""
    marks = ["--"] if any(one.startswith("-") for one in ids) else []
    arguments = [*words, *options, *marks, *ids] if marks else [*words, *ids, *options]
    return shlex.join(["rollcall", *arguments])
