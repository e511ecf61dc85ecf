"""Failures of commands: a message, and an exit code."""

from collections.abc import Mapping
from enum import IntEnum
from http import HTTPStatus
from typing import Any, Final


class Code(IntEnum):
    """Exit codes, the same for every command; docs/cli.md has them as a table."""

    DONE = 0
    OTHER = 1
    USAGE = 2
    CONFLICT = 3
    NOT_FOUND = 4
    FAILED = 5


MEANINGS: Final[Mapping[Code, str]] = {
    Code.DONE: "success; for an operation: it has succeeded, with or without a change",
    Code.OTHER: "any other error: no response, the token is refused, a timeout",
    Code.USAGE: "a usage error: an unknown option, an invalid value",
    Code.CONFLICT: "the current state does not allow it: it exists already, it is rebalancing",
    Code.NOT_FOUND: "the group, member, topic or operation does not exist",
    Code.FAILED: "the operation was requested and has failed",
}


class Failure(Exception):
    """Printed on standard error, with its exit code."""

    def __init__(self, code: Code, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


_OF_STATUS: Final[Mapping[int, Code]] = {
    HTTPStatus.BAD_REQUEST: Code.USAGE,
    HTTPStatus.NOT_FOUND: Code.NOT_FOUND,
    HTTPStatus.CONFLICT: Code.CONFLICT,
    HTTPStatus.PRECONDITION_FAILED: Code.CONFLICT,
    HTTPStatus.UNPROCESSABLE_ENTITY: Code.CONFLICT,
}

_HINTS: Final[Mapping[int, str]] = {
    HTTPStatus.UNAUTHORIZED: " Set ROLLCALL_TOKEN, or a profile's token, to one that is valid; the"
    " admin makes one, and on the server `manage.py create_token NAME --user USER`.",
    HTTPStatus.FORBIDDEN: " `rollcall doctor` shows the rights of the token.",
}


def of_problem(status: int, problem: Mapping[str, Any]) -> Failure:
    """The failure of a problem (RFC 9457)."""
    code = _OF_STATUS.get(status, Code.OTHER)
    if problem.get("code") == "operation_failed":
        code = Code.FAILED
    wrong = "".join(
        f"\n  {error.get('parameter') or error.get('pointer')}: {error.get('detail')}"
        for error in problem.get("errors") or ()
    )
    detail = problem.get("detail") or problem.get("title") or f"HTTP {status}"
    return Failure(code, f"{detail}{_HINTS.get(status, '')}{wrong}")
