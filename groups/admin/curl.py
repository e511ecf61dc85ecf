"""The lines of a shell that ask for what a page asks for: of REST by curl, and by ``rollcall``."""

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote, urlencode

from django.http import HttpRequest

REASON: Final = {"reason": "WHY"}
"""For who pastes it to fill in."""

WHY: Final = ("--reason", "WHY")
"""The same."""


def curl(
    request: HttpRequest,
    method: str,
    path: str,
    *ids: str,
    body: Mapping[str, Any] | None = REASON,
    query: Mapping[str, str] | None = None,
) -> str:
    """``path``: below /api/v1/, with {} for each id. The token stays a variable of the shell."""
    named = path.format(*(quote(one, safe="") for one in ids))
    if query:
        named = f"{named}?{urlencode(query, quote_via=quote)}"
    url = request.build_absolute_uri(f"/api/v1/{named}")
    parts = ["curl", "-X", method, "-H", '"Authorization: Bearer $TOKEN"']
    if body is not None:
        parts += ["-H", '"Content-Type: application/json"', "-d", shlex.quote(json.dumps(body))]
    return " ".join([*parts, shlex.quote(url)])


def cli(*words: str, ids: Sequence[str] = (), options: Sequence[str] = WHY) -> str:
    """The command of docs/cli.md. An id that looks like an option stands behind "--"."""
    marks = ["--"] if any(one.startswith("-") for one in ids) else []
    said = [*words, *options, *marks, *ids] if marks else [*words, *ids, *options]
    return shlex.join(["rollcall", *said])
