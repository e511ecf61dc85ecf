"""The base of all REST views. No resource is here."""

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import Http404
from django.utils.cache import patch_vary_headers
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from console.api import inputs, preconditions
from console.api.pages import linked, ordered, paged
from console.api.paths import names_ids_in_query
from console.api.problems import Problem
from console.api.renderers import CsvRenderer, LinesRenderer
from console.api.schema import KEY_MAX
from console.people import audit
from groups.models import Group

M = TypeVar("M", bound=Model)


class Checked:
    """A view that validates an operation's input before it does anything."""

    query: Mapping[str, Any]
    body: Any

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Authentication and authorization; then common checks."""
        super().initial(request, *args, **kwargs)  # type: ignore[misc]  # of APIView, beside this
        audit.set_author(request._request, actor(request))
        if any("\0" in str(text) for text in (*kwargs.values(), *_queried(request))):
            # PostgreSQL's texts cannot contain NUL, so no such name exists.
            raise Problem(HTTPStatus.BAD_REQUEST, "invalid", "An id must not contain NUL.")
        method = getattr(self, str(request.method).lower(), None)
        if method is None:
            return  # the next check answers it
        taken = inputs.of(method)
        ids = frozenset(kwargs) if names_ids_in_query(request._request) else frozenset()
        self.query = inputs.query(request, taken, ids)
        self.body = inputs.body(request, taken, self.query)
        if request.method not in ("GET", "HEAD", "OPTIONS"):
            preconditions.check(request, lambda: self.version(kwargs), key_of(request))

    def version(self, ids: Mapping[str, str]) -> str | None:
        """The version of the resource in the path, for ``If-Match``; None: it does not exist."""
        return preconditions.version(ids)

    @property
    def is_dry(self) -> bool:
        """Whether the request is a dry run."""
        return bool(self.query.get("dry_run") == "true")

    def handle_exception(self, exc: Exception) -> Response:
        """A problem, in JSON whatever format the view has."""
        request: Any = self.request  # type: ignore[attr-defined]  # of APIView, beside this
        request.accepted_renderer, request.accepted_media_type = (
            JSONRenderer(),
            JSONRenderer.media_type,
        )
        answer: Response = super().handle_exception(exc)  # type: ignore[misc]
        return answer


class View(Checked, APIView):
    """A view of ours."""

    def paged(
        self,
        request: Request,
        rows: QuerySet[Any],
        keys: Sequence[str],
        serialize: type[Serializer[Any]] | Callable[[list[Any]], Any],
        orderings: Mapping[str, str] | None = None,
        **beside: Any,
    ) -> Response:
        """A page of rows in a shape, or converted by ``serialize``; ``keys`` as for
        ``pages.paged``, after a column of ``orderings`` that the request names."""
        keys = [*ordered(self.query, orderings or {}, keys)]
        page, neighbours = paged(request, rows, keys, self.query)
        data = serialize(page, many=True).data if isinstance(serialize, type) else serialize(page)
        return Response({"data": data, **neighbours, **beside}, headers=linked(neighbours))

    def created(
        self, request: Request, shape: type[Serializer[Any]], create: Callable[[], Model]
    ) -> Response:
        """The row that ``create`` makes, and where it is; a dry run takes it back."""
        if self.is_dry:
            return self.tried(lambda: shape(create()).data)
        row = create()
        place = {"Location": f"{request.path}/{row.pk}"}
        return Response(shape(row).data, HTTPStatus.CREATED, headers=place)

    def withdrawn(self, shape: type[Serializer[Any]], row: Model) -> Response:
        """Delete a row, and show it; a dry run only shows it."""
        body = shape(row).data
        if self.is_dry:
            return self.tried(lambda: body)
        row.delete()
        return Response(body)

    def tried(self, do: Callable[[], Any]) -> Response:
        """The result of ``do``, which is executed and rolled back, so no process is notified.
        Invalid requests are refused as usual."""
        with transaction.atomic():
            result = do()
            transaction.set_rollback(True)
        return Response({"dry_run": True, "result": result})

    def get_renderers(self) -> list[Any]:
        """JSON; for lists other formats too."""
        accepted = inputs.of(getattr(self, str(self.request.method).lower(), None))
        more = (CsvRenderer, LinesRenderer) if accepted.lists else ()
        return [JSONRenderer(), *(form() for form in more)]

    def columns(self) -> list[str]:
        """The fields in the response."""
        all_of_them = inputs.of(getattr(self, str(self.request.method).lower())).fields
        requested = getattr(self, "query", {}).get("fields", all_of_them)
        return [name for name in all_of_them if name in requested]

    def finalize_response(self, request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        """The response with the requested fields."""
        if response.status_code == HTTPStatus.OK and "fields" in getattr(self, "query", ()):
            response.data = _sparse(response.data, self.columns())
        answer = super().finalize_response(request, response, *args, **kwargs)
        if inputs.of(getattr(self, str(request.method).lower(), None)).lists:
            patch_vary_headers(answer, ["Accept"])
        return answer


def _sparse(data: Any, names: list[str]) -> Any:
    if "data" in data:
        return {**data, "data": [{name: row[name] for name in names} for row in data["data"]]}
    return {name: data[name] for name in names}


def _queried(request: Request) -> list[str]:
    return [value for values in request.query_params.lists() for value in values[1]]


def required(query: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    """The query; 400 if one of these parameters is missing."""
    unsaid = [name for name in names if name not in query]
    if unsaid:
        errors = [{"parameter": name, "detail": "This is required."} for name in unsaid]
        detail = "Some parameters are invalid."
        raise Problem(HTTPStatus.BAD_REQUEST, "invalid", detail, errors=errors)
    return query


def found(rows: QuerySet[M], what: str, number: int) -> M:
    """The row with this id, or 404."""
    row = rows.filter(pk=number).first()
    if row is None:
        raise Http404(f"There is no {what} {number}.")
    return row


def existing(group_id: str) -> Group:
    """The group, or 404."""
    group: Group | None = Group.objects.filter(group_id=group_id).first()
    if group is None:
        raise missing(group_id)
    return group


def missing(group_id: str) -> Http404:
    """The error for a group that does not exist."""
    return Http404(f"There is no group {group_id}.")


def key_of(request: Request) -> str | None:
    """The stored form of the Idempotency-Key: keys of different users are different."""
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return None
    if not key.strip() or len(key) > KEY_MAX:
        detail = f"An Idempotency-Key has between 1 and {KEY_MAX} characters."
        raise Problem(HTTPStatus.BAD_REQUEST, "invalid", detail)
    return f"{actor(request)}:{key}"


def actor(request: Request) -> str:
    """The author for the audit."""
    return str(request.user.get_username())
