"""The right that an operation needs: looked up in the table of rights, by route and method."""

from typing import Any, Final

from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from console.journal_subjects import Kinds
from console.people import held_up, rights
from groups.models import ApiToken


class Allowed(BasePermission):
    """Whether the table has a row for the operation, its user has the right, and its token the
    scope."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Whether the user has the right of the method."""
        duty = held_up.duty_of(request.user)
        if duty is not None:
            raise PermissionDenied(duty.sentence, duty.code)
        row = row_of(request)
        if row is None:
            return False
        needed = rights.needed(row, str(request.method))
        if needed is None:  # logged-in users may learn that the method does not exist
            is_there = hasattr(view, str(request.method).lower())
            needed = rights.NOBODY if is_there else rights.LOGGED_IN
        if not may_read(request, needed):
            return False
        if request.query_params.get("dry_run") == "true" and not _may_look(request):
            raise PermissionDenied(UNSEEN)
        return True


UNSEEN: Final = (
    "A dry run shows what there is and what would change: it needs the right to read that, and a"
    " token the scope read."
)


def may_read(request: Request, permission: str) -> bool:
    """Whether the user has the right, and the token its scope."""
    token = request.auth
    if isinstance(token, ApiToken) and rights.scope_of(permission) not in token.scopes:
        return False
    return rights.may(request.user, permission)


def _may_look(request: Request) -> bool:
    """Whether the caller may read what a dry run shows."""
    match = request._request.resolver_match
    return match is not None and may_read(request, rights.seen_at(match.route))


def row_of(request: Request) -> rights.Row | None:
    """What each method of this request's route needs; None if the table does not have it."""
    match = request._request.resolver_match
    return None if match is None else rights.of_route(match.route)


def readable_kinds(request: Request, kind: str | None = None) -> Kinds:
    """The kinds of journal entries that the user may read. Raises 403 if ``kind``, for which the
    request asks, is none of them."""
    kinds = rights.kinds(request.user)
    if kind is not None and kind not in kinds:
        raise PermissionDenied(f"Entries of this kind need {rights.needed_for(kind)}.")
    return kinds
