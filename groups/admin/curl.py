"""The line of a shell that asks REST for what a page asks for."""

import shlex
from urllib.parse import quote

from django.http import HttpRequest


def curl(request: HttpRequest, method: str, path: str, group_id: str, body: str | None) -> str:
    """``path``: below /api/v1/, with {} for the group. The token stays a variable of the shell."""
    url = request.build_absolute_uri(f"/api/v1/{path.format(quote(group_id, safe=''))}")
    parts = ["curl", "-X", method, "-H", '"Authorization: Bearer $TOKEN"']
    if body is not None:
        parts += ["-H", '"Content-Type: application/json"', "-d", shlex.quote(body)]
    return " ".join([*parts, shlex.quote(url)])
