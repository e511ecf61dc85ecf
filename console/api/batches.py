"""One verb for all groups that match a filter: an operation for each, created together.

The rights are those for one group; the request limits the number of groups.
"""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Final

from django.db import transaction
from drf_spectacular.utils import OpenApiResponse
from rest_framework.request import Request
from rest_framework.response import Response

from console.api import idempotency
from console.api import serializers as shapes
from console.api.groups import FILTERS, matching
from console.api.inputs import described
from console.api.permissions import may_read
from console.api.problems import Problem
from console.api.schema import DRY_RUN, IDEMPOTENCY_KEY
from console.api.views import View, actor, key_of
from console.operations import requests
from console.people import rights
from console.queries import previews
from groups.core.operations import OPERATIONS
from groups.models import Operation

RECORDED: Final = OpenApiResponse(shapes.Batch, "Recorded: an operation for each group.")
PLANNED: Final = OpenApiResponse(
    shapes.BatchPlan, "With `dry_run`: the groups that match, and nothing is asked of them."
)
FILTER_NAMES: Final = frozenset(parameter.name for parameter in FILTERS)


class Batch(View):
    """A verb for many groups."""

    verb: Operation.Verb

    def post(self, request: Request) -> Response:
        """Record the verb for each group that matches."""
        if not FILTER_NAMES & self.query.keys():
            detail = "At least one filter is required; q= (empty) matches all groups."
            errors = [{"parameter": "q", "detail": detail}]
            raise Problem(HTTPStatus.BAD_REQUEST, "invalid", "Which groups?", errors=errors)
        if self.is_dry:
            ids = self._matched()
            values = {
                "dry_run": True,
                "verb": self.verb.value,
                "groups": len(ids),
                "group_ids": ids,
                "refused": [
                    {"group_id": group_id, "detail": why}
                    for group_id, why in previews.refused(self.verb, ids).items()
                ],
            }
            return Response(shapes.BatchPlan(values).data)
        with transaction.atomic():
            return self._recorded(request, key_of(request))

    def _recorded(self, request: Request, key: str | None) -> Response:
        """The operations: of an earlier request with this key, or new ones."""
        names = may_read(request, rights.VIEW_GROUP)
        digest = idempotency.digest_of(self.verb.value, self.query, self.body)
        if key is not None:
            idempotency.hold(key)
            idempotency.check_only_batches(key)
            if before := idempotency.operations_of_batch(key):
                idempotency.check_same(before, key, digest)
                return _answered(before, {"Idempotency-Replayed": "true"}, names=names)
        made = [
            requests.request(
                group_id,
                self.verb,
                reason=self.body["reason"],
                actor=actor(request),
                idempotency_key=key and idempotency.key_of_group(key, digest, group_id),
            )
            for group_id in self._matched()
        ]
        return _answered(made, {}, names=names)

    def _matched(self) -> Sequence[str]:
        most = self.body["groups_max"]
        ids = list(
            matching(self.query).order_by("group_id").values_list("group_id", flat=True)[: most + 1]
        )
        if len(ids) > most:
            detail = f"More than {most} groups match: narrow the filter, or raise groups_max."
            raise Problem(HTTPStatus.CONFLICT, "too_many_groups", detail)
        return ids


def _answered(
    operations: Sequence[Operation], headers: Mapping[str, str], *, names: bool
) -> Response:
    """``names``: whether the caller may read the ids of groups that it did not name."""
    rows = [{"id": each.pk, "group_id": each.group_id if names else None} for each in operations]
    body = shapes.Batch({"groups": len(rows), "operations": rows}).data
    return Response(body, status=HTTPStatus.ACCEPTED, headers=dict(headers))


def _of(verb: Operation.Verb, sentence: str) -> type[Batch]:
    """The view of a verb."""

    @described(
        operation_id=f"{verb.value}_groups",
        parameters=[*FILTERS, DRY_RUN, IDEMPOTENCY_KEY],
        request=shapes.NewBatch,
        responses={202: RECORDED, 200: PLANNED},
        tags=["groups"],
        description=f"{sentence} An operation is recorded for each group, for all of them or for"
        " none. Refused if more groups match than `groups_max`.",
    )
    def post(self: Batch, request: Request) -> Response:
        return Batch.post(self, request)

    return type(f"Batch{verb.name.title()}", (Batch,), {"verb": verb, "post": post})


VIEWS: Final[Mapping[str, type[Batch]]] = {
    name.value: _of(name, row.many) for name, row in OPERATIONS.items() if row.many
}
"""By the word after the colon in the path."""
