"""What every view of REST shares. No resource is here."""

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, ClassVar, Final

from django.db.models import QuerySet
from django.http import Http404
from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from groups.api.pages import paged
from groups.api.problems import Problem
from groups.models import Group

BODY_BYTES_MAX: Final = 1_048_576
"""No body here has more than a reason and a few numbers."""


class View(APIView):
    """A view that says which permission each method needs; "*" is for the others."""

    rights: ClassVar[Mapping[str, str]] = {"*": "groups.view_group"}

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Who asks and whether they may; then what no view has to think of."""
        super().initial(request, *args, **kwargs)
        if any("\0" in str(text) for text in (*kwargs.values(), *_queried(request))):
            # PostgreSQL's texts hold none, so nothing can be called so.
            raise Problem(HTTPStatus.BAD_REQUEST, "invalid", "No id has a NUL in it.")
        length = str(request.META.get("CONTENT_LENGTH") or "0")
        if length.isdecimal() and int(length[:20]) > BODY_BYTES_MAX:
            detail = f"A body has at most {BODY_BYTES_MAX} bytes."
            raise Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", detail)

    def paged(
        self,
        request: Request,
        rows: QuerySet[Any],
        keys: Sequence[str],
        shown: Callable[[list[Any]], Any],
        **beside: Any,
    ) -> Response:
        """A page of rows, as ``shown`` puts them; ``keys`` as for ``pages.paged``."""
        page, neighbours = paged(request, rows, keys)
        return Response({"data": shown(page), **neighbours, **beside})

    def body(
        self,
        serializer: type[serializers.Serializer[Any]],
        request: Request,
        otherwise: Any = None,
    ) -> Any:
        """What the request says, checked; ``otherwise`` where it has no body."""
        try:
            said = request.data or otherwise or request.data
        except RecursionError:
            raise ParseError("The JSON is nested too deeply.") from None
        found = serializer(data=said)
        found.is_valid(raise_exception=True)
        return found.validated_data


def _queried(request: Request) -> list[str]:
    return [value for values in request.query_params.lists() for value in values[1]]


def existing(group_id: str) -> Group:
    """The group, or 404."""
    group: Group | None = Group.objects.filter(group_id=group_id).first()
    if group is None:
        raise missing(group_id)
    return group


def missing(group_id: str) -> Http404:
    """What is raised for a group that does not exist."""
    return Http404(f"There is no group {group_id}.")


def actor(request: Request) -> str:
    """Who asks, for the audit."""
    return str(request.user.get_username())
