"""Client quotas of the Kafka port over REST."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework.request import Request
from rest_framework.response import Response

from console.api import serializers as shapes
from console.api.inputs import described
from console.api.problems import Problem
from console.api.schema import DRY_RUN, NAME, PAGE, page_of
from console.api.serializers.access import QUOTA_PARTS
from console.api.views import View, actor
from console.operations import quota_changes
from groups.core.authors import user as by
from groups.core.quotas import forms
from groups.core.quotas.entities import ADDRESS_KEYS, CLIENT_KEYS, Entity, entity, shown
from groups.models import QuotaEntity

MEANINGS: Final[Mapping[str, str]] = {
    "user": "The name of a user.",
    "client_id": "A client id.",
    "ip": "An address.",
}

PARTS: Final = [
    *(OpenApiParameter(name, NAME, description=MEANINGS[name]) for name in QUOTA_PARTS),
    OpenApiParameter(
        "default",
        {"type": "array", "minItems": 1, "items": {"type": "string", "enum": [*QUOTA_PARTS]}},
        style="form",
        explode=False,
        description="Parts that are the default, separated by commas: what those have who have no"
        " quota under their name.",
    ),
]

KEYS: Final = sorted(CLIENT_KEYS | ADDRESS_KEYS)


class Quotas(View):
    """Client quotas, by entity."""

    @described(
        operation_id="list_quotas",
        parameters=[*PARTS, *PAGE],
        responses=page_of(shapes.QuotaView),
    )
    def get(self, request: Request) -> Response:
        """List entities with quotas: all, or those that have the given parts."""
        rows = quota_changes.matching(_parts(self.query))
        return self.paged(
            request, rows, ["entity_type", "user_name", "client_id", "ip"], shapes.QuotaView
        )

    @described(
        operation_id="set_quotas",
        parameters=[DRY_RUN],
        request=shapes.NewQuotas,
        responses={
            200: OpenApiResponse(
                shapes.QuotaOrPlan,
                "The entity with all its quotas; with `dry_run`, as it would be.",
            )
        },
    )
    def put(self, request: Request) -> Response:
        """Set quotas of an entity, in force on all nodes within milliseconds. Quotas that are not
        named stay."""
        parts = {QUOTA_PARTS[name]: value for name, value in self.body["entity"].items()}
        target, quotas = entity(parts), dict(self.body["quotas"])
        if self.is_dry:
            quota_changes.check(target, quotas)
            current = quota_changes.existing(target)
            would = {**(current.quotas if current else {}), **quotas}
            return _planned(_row(target, current, would))
        quota_changes.alter(target, quotas, by(actor(request)))
        return Response(shapes.QuotaView(quota_changes.existing(target)).data)

    @described(
        operation_id="remove_quotas",
        parameters=[
            *PARTS,
            OpenApiParameter("key", str, enum=KEYS, description="Only this quota."),
            DRY_RUN,
        ],
        request=None,
        responses={200: OpenApiResponse(shapes.QuotaOrPlan, "The entity with the removed quotas.")},
    )
    def delete(self, request: Request) -> Response:
        """Remove the quotas of just this entity, or one of them, and show what was removed."""
        target = entity(_parts(self.query))
        forms.check(target, ())
        current = quota_changes.existing(target)
        key = self.query.get("key")
        gone = (
            {} if current is None else {k: v for k, v in current.quotas.items() if key in (None, k)}
        )
        if not gone:
            what = f"no quota {key}" if key else "no quotas"
            raise Http404(f"There are {what} of {shown(target)}.")
        if self.is_dry:
            return _planned(_row(target, current, gone))
        quota_changes.alter(target, dict.fromkeys(gone), by(actor(request)))
        return Response(shapes.QuotaView(_row(target, current, gone)).data)


def _planned(row: QuotaEntity) -> Response:
    return Response({**shapes.QuotaView(row).data, "dry_run": True})


def _parts(query: Mapping[str, Any]) -> dict[str, str | None]:
    """The parts of an entity in the query, by the types of ``groups.core.quotas``."""
    defaults = query.get("default", ())
    for name in defaults:
        if name in query:
            error = {"parameter": name, "detail": "This is also the default."}
            detail = "A part has a name, or is the default."
            raise Problem(HTTPStatus.BAD_REQUEST, "invalid", detail, errors=[error])
    return {
        kind: query.get(name)
        for name, kind in QUOTA_PARTS.items()
        if name in query or name in defaults
    }


def _row(target: Entity, current: QuotaEntity | None, quotas: Mapping[str, Any]) -> QuotaEntity:
    """The entity with these quotas, as a row that is not stored."""
    return quota_changes.row_of(target, quotas, current.updated_at if current else None)
