"""What several resources share in the OpenAPI description: parameters and pages."""

from functools import cache
from typing import Any, Final

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    PolymorphicProxySerializer,
    inline_serializer,
)
from rest_framework import serializers

from groups.api.pages import SIZE, SIZE_MAX

GROUP_ID = OpenApiParameter(
    "group_id",
    OpenApiTypes.STR,
    OpenApiParameter.PATH,
    description='Percent-encoded, "/" included: any character is allowed.',
)
MEMBER_ID = OpenApiParameter(
    "member_id", OpenApiTypes.STR, OpenApiParameter.PATH, description="Percent-encoded."
)
NAME: Final = {"type": "string", "minLength": 1}
"""A filter by a name: an empty one names nothing, and is a mistake."""

PAGE = [
    OpenApiParameter("cursor", NAME, description="From `next` or `previous` of a page."),
    OpenApiParameter(
        "page_size",
        {"type": "integer", "minimum": 1, "maximum": SIZE_MAX, "default": SIZE},
    ),
]
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="Asking again with the same key gives the operation that it made.",
)
PREFER = OpenApiParameter(
    "Prefer",
    str,
    OpenApiParameter.HEADER,
    description="`wait=20`: answer when it has ended, after 20 seconds at the latest.",
)
ANSWERED = [
    OpenApiParameter(
        name, str, OpenApiParameter.HEADER, description=description, response=[200, 202, 409]
    )
    for name, description in (
        ("Location", "The operation."),
        ("Idempotency-Replayed", "`true` where the key made the operation earlier."),
    )
]
SUCCEEDED = "It has succeeded; `outcome` tells whether there was anything to do."
DRY_RUN = OpenApiParameter(
    "dry_run",
    str,
    enum=("true", "false"),
    description="`true`: work it out, answer with what would change, and change nothing.",
)
FAILED = "It has failed: a problem, with the `operation` in it. Or it cannot be asked for now."
ACCEPTED = "Recorded; `Location` is the operation's."


@cache
def page_of(shape: type[serializers.Serializer[Any]]) -> serializers.Serializer[Any]:
    """A page of this shape."""
    return _page(shape)


@cache
def all_of(shape: type[serializers.Serializer[Any]]) -> serializers.Serializer[Any]:
    """A list that is short enough to be told as a whole."""
    return inline_serializer(f"{shape.__name__}List", {"data": shape(many=True)})


@cache
def page_beside(
    shape: type[serializers.Serializer[Any]], name: str, beside: type[serializers.Serializer[Any]]
) -> serializers.Serializer[Any]:
    """A page of this shape, with one thing more beside it."""
    return _page(shape, **{name: beside()})


def _page(
    shape: type[serializers.Serializer[Any]], **beside: serializers.Field[Any, Any, Any, Any]
) -> serializers.Serializer[Any]:
    return inline_serializer(
        f"{shape.__name__}Page",
        {
            "data": shape(many=True),
            "next": serializers.URLField(allow_null=True),
            "previous": serializers.URLField(allow_null=True),
            **beside,
        },
    )


def accepted_or_planned(
    shape: type[serializers.Serializer[Any]], plan: type[serializers.Serializer[Any]]
) -> dict[int, OpenApiResponse]:
    """The same of what may be tried as well: 200 is the plan for who asked for a dry run."""
    either = PolymorphicProxySerializer(
        f"{shape.__name__}Or{plan.__name__}", [shape, plan], resource_type_field_name=None
    )
    return {**accepted(shape), 200: OpenApiResponse(either, SUCCEEDED + " Or what it would do.")}


def accepted(shape: type[serializers.Serializer[Any]]) -> dict[int, OpenApiResponse]:
    """An answer to what takes its time."""
    return {
        202: OpenApiResponse(shape, ACCEPTED),
        200: OpenApiResponse(shape, SUCCEEDED),
        409: OpenApiResponse(None, FAILED),
    }
