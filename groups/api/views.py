"""What every view of REST shares. No resource is here."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import Http404
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from groups.api.pages import Pages
from groups.models import Group


class View(APIView):
    """A view that says which permission each method needs; "*" is for the others."""

    rights: ClassVar[Mapping[str, str]] = {"*": "groups.view_group"}

    def paged(
        self,
        request: Request,
        rows: QuerySet[Any],
        ordering: Sequence[str],
        shown: Callable[[list[Any]], Any],
    ) -> Response:
        """A page of rows, as ``shown`` puts them."""
        pages = Pages(*ordering)
        page = pages.paginate_queryset(rows, request, view=self)
        return pages.get_paginated_response(shown(page or []))

    def body(self, serializer: type[serializers.Serializer[Any]], request: Request) -> Any:
        """What the request says, checked."""
        found = serializer(data=request.data)
        found.is_valid(raise_exception=True)
        return found.validated_data


def existing(group_id: str) -> Group:
    """The group, or 404."""
    group: Group | None = Group.objects.filter(group_id=group_id).first()
    if group is None:
        raise Http404(f"There is no group {group_id}.")
    return group


def actor(request: Request) -> str:
    """Who asks, for the audit."""
    return str(request.user.get_username())
