"""What a view asks of its user: Django's permissions, by method."""

from collections.abc import Mapping
from typing import Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request


class Allowed(BasePermission):
    """The view's ``rights`` map a method to a permission; the others need to be logged in."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Whether the user holds what the method needs."""
        rights: Mapping[str, str] = view.rights
        needed = rights.get(str(request.method), rights.get("*", ""))
        user: Any = request.user
        if not user or not user.is_authenticated:
            return False
        return not needed or bool(user.has_perm(needed))
