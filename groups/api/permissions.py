"""What an operation asks of its user: looked up in the table of rights, by route and method."""

from typing import Any, Final

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from groups.access import rights

PREFIX: Final = "api/v1/"


class Allowed(BasePermission):
    """Whether the table has a row for the operation, and the user what it says."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Whether the user holds what the method needs."""
        match = request._request.resolver_match
        row = None if match is None else rights.REST.get(match.route.removeprefix(PREFIX))
        if row is None:
            return False
        needed = rights.needed(row, str(request.method))
        if needed is None:  # whoever is logged in may hear that there is no such method
            is_there = hasattr(view, str(request.method).lower())
            needed = rights.NOBODY if is_there else rights.LOGGED_IN
        return rights.may(request.user, needed)
