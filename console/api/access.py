"""ACLs, users and quotas of the Kafka port over REST."""

from collections.abc import Mapping
from enum import IntEnum
from http import HTTPStatus
from typing import Any, Final

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from console.api import serializers as shapes
from console.api.fields import LINE
from console.api.inputs import described
from console.api.permissions import may_read
from console.api.problems import Problem
from console.api.schema import DRY_RUN, ID, NAME, PAGE, PART, page_beside, page_of
from console.api.views import View, actor
from console.operations import acl_changes, kafka_users
from console.people import rights
from console.queries.text_search import any_has_text
from groups.clients.scram_credentials import NAME_CHARS_MAX, is_name
from groups.core.acls import forms
from groups.core.acls.bindings import (
    AclOperation,
    Binding,
    Filter,
    PatternType,
    Permission,
    ResourceType,
)
from groups.core.authors import user as by
from groups.models import KafkaUser

FILTERED: Final[Mapping[str, type[IntEnum]]] = {
    "resource_type": ResourceType,
    "pattern": PatternType,
    "operation": AclOperation,
    "permission": Permission,
}

FILTER: Final = [
    *(
        OpenApiParameter(name, str, enum=[w.name for w in words if w.name != "UNKNOWN"])
        for name, words in FILTERED.items()
        if name != "resource_type"
    ),
    OpenApiParameter(
        "name",
        NAME,
        description="The resource's name; with `pattern=MATCH`, all ACLs that apply to a resource"
        " with this name.",
    ),
    OpenApiParameter("principal", NAME),
    OpenApiParameter("host", NAME),
]
"""Kafka's AclBindingFilter: a part that is missing matches everything."""

TYPES: Final = [word.name for word in ResourceType if word.name != "UNKNOWN"]

USER_NAME: Final = OpenApiParameter("user", ID, OpenApiParameter.PATH)
NEW_USER_NAME: Final = OpenApiParameter(
    "user",
    {"type": "string", "maxLength": NAME_CHARS_MAX, "pattern": LINE},
    OpenApiParameter.PATH,
    description="Printable characters; the only white space allowed is blanks.",
)


class Acls(View):
    """The access rules of the Kafka port."""

    @described(
        operation_id="list_acls",
        parameters=[OpenApiParameter("resource_type", str, enum=TYPES), *FILTER, *PAGE],
        responses=page_beside(shapes.AclView, "authorizer", shapes.Authorizer),
    )
    def get(self, request: Request) -> Response:
        """List ACLs in the order of their creation, and whether an authorizer enforces them."""
        authorizer = shapes.Authorizer({"is_on": acl_changes.is_on()}).data
        rows = acl_changes.matching(_filter(self.query))
        return self.paged(request, rows, ["id"], shapes.AclView, authorizer=authorizer)

    @described(
        operation_id="create_acl",
        parameters=[DRY_RUN],
        request=shapes.NewAcl,
        responses={
            201: shapes.AclView,
            200: OpenApiResponse(
                shapes.AclOrPlan, "It existed already; or, with `dry_run`, it would be created."
            ),
        },
    )
    def post(self, request: Request) -> Response:
        """Create an ACL; it takes effect on all nodes within milliseconds. A repeated request
        creates only one."""
        binding = _binding(self.body)
        if self.is_dry:
            acl_changes.check(binding)
            current = acl_changes.existing(binding)
            values = {**self.body, "created_at": current and current.created_at, "dry_run": True}
            return Response(shapes.AclOrPlan(values).data)
        acl, is_new = acl_changes.create(binding, by(actor(request)))
        status = HTTPStatus.CREATED if is_new else HTTPStatus.OK
        return Response(shapes.AclView(acl).data, status=status)

    @described(
        operation_id="delete_acls",
        parameters=[
            OpenApiParameter("resource_type", str, enum=TYPES, required=True),
            *FILTER,
            DRY_RUN,
        ],
        request=None,
        responses={200: shapes.DeletedAcls},
    )
    def delete(self, request: Request) -> Response:
        """Delete all ACLs that match the filter, and list them. `resource_type` is required, and
        may be ANY; `dry_run=true` lists what would be deleted."""
        if "resource_type" not in self.query:
            error = {
                "parameter": "resource_type",
                "detail": "This parameter is required; it may be ANY.",
            }
            detail = "Which ACLs?"
            raise Problem(HTTPStatus.BAD_REQUEST, "invalid", detail, errors=[error])
        acl_filter = _filter(self.query)
        is_dry = self.is_dry
        if is_dry:
            rows = list(acl_changes.matching(acl_filter).order_by("id"))
        else:
            rows = acl_changes.delete(acl_filter, by(actor(request)))
        shown = rows if may_read(request, rights.VIEW_ACL) else []
        values = {"dry_run": is_dry, "count": len(rows), "acls": shown}
        return Response(shapes.DeletedAcls(values).data)


def _filter(query: Mapping[str, Any]) -> Filter:
    return Filter(
        ResourceType[query.get("resource_type", "ANY")],
        query.get("name"),
        PatternType[query.get("pattern", "ANY")],
        query.get("principal"),
        query.get("host"),
        AclOperation[query.get("operation", "ANY")],
        Permission[query.get("permission", "ANY")],
    )


def _binding(body: Mapping[str, Any]) -> Binding:
    """The ACL of the body; raises a problem that points at the invalid field."""
    binding = Binding.of_words(*(body[field] for field in Binding._fields))
    fault = forms.fault(binding)
    if fault is not None:
        raise ValidationError({fault[0]: [fault[1]]})
    return binding


class Users(View):
    """The users of the Kafka port (SASL/SCRAM)."""

    @described(
        operation_id="list_users",
        parameters=[OpenApiParameter("q", PART, description="Part of the name."), *PAGE],
        responses=page_of(shapes.KafkaUserView),
    )
    def get(self, request: Request) -> Response:
        """List users by name, with their mechanisms, without their passwords."""
        users = KafkaUser.objects.filter(any_has_text(self.query.get("q", ""), "name"))
        return self.paged(request, users, ["name"], shapes.KafkaUserView)


class OneUser(View):
    """A user of the Kafka port."""

    @described(operation_id="get_user", parameters=[USER_NAME], responses=shapes.KafkaUserView)
    def get(self, request: Request, user: str) -> Response:
        """Show a user."""
        return Response(shapes.KafkaUserView(_user(user)).data)

    @described(
        operation_id="set_password",
        parameters=[NEW_USER_NAME, DRY_RUN],
        request=shapes.Password,
        responses={
            201: shapes.KafkaUserView,
            200: OpenApiResponse(
                shapes.KafkaUserOrPlan, "It existed already; or, with `dry_run`, it could be done."
            ),
        },
    )
    def put(self, request: Request, user: str) -> Response:
        """Create a user, or change its password for some mechanisms. Its connections stay open; the
        next login needs the new password."""
        body = self.body
        _check_name(user)
        if self.is_dry:
            values: dict[str, Any] = {
                "name": user,
                "mechanisms": dict.fromkeys(body["mechanisms"], body["iterations"]),
            }
            values |= {"updated_at": None, "dry_run": True}
            return Response(shapes.KafkaUserOrPlan(values).data)
        is_new = kafka_users.set_password(
            user, body["password"], body["mechanisms"], body["iterations"], by(actor(request))
        )
        status = HTTPStatus.CREATED if is_new else HTTPStatus.OK
        return Response(shapes.KafkaUserView(_user(user)).data, status=status)

    @described(
        operation_id="delete_user",
        parameters=[
            USER_NAME,
            OpenApiParameter("mechanism", str, enum=kafka_users.MECHANISMS),
            DRY_RUN,
        ],
        request=None,
        responses={200: shapes.KafkaUserOrPlan},
    )
    def delete(self, request: Request, user: str) -> Response:
        """Delete a user, or its password for one mechanism, and show what was deleted. The
        connections of a user without passwords are closed."""
        row, mechanism = _user(user), self.query.get("mechanism")
        mechanisms = (mechanism,) if mechanism else kafka_users.MECHANISMS
        gone = {m: n for m, n in row.mechanisms.items() if m in mechanisms}
        if not gone:
            raise Http404(f"The user {user} has no password for {mechanism}.")
        values = {"name": user, "mechanisms": gone, "updated_at": row.updated_at}
        if self.is_dry:
            return Response(shapes.KafkaUserOrPlan({**values, "dry_run": True}).data)
        kafka_users.delete(user, tuple(gone), by(actor(request)))
        return Response(shapes.KafkaUserOrPlan(values).data)


def _check_name(name: str) -> None:
    if not is_name(name):
        raise Problem(HTTPStatus.BAD_REQUEST, "invalid_name", kafka_users.NO_NAME)


def _user(name: str) -> KafkaUser:
    row: KafkaUser | None = KafkaUser.objects.filter(name=name).first()
    if row is None:
        raise Http404(f"There is no user {name} of the Kafka port.")
    return row
