"""Parameters and pages of the OpenAPI description that several resources share."""

from collections.abc import Iterable
from functools import cache
from typing import Any, Final

from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    PolymorphicProxySerializer,
    inline_serializer,
)
from rest_framework import serializers

from console.api.fields import INT32_MAX, LINE, NO_NUL
from console.api.pages import CURSOR_MAX, SIZE, SIZE_MAX
from console.plain_text import REASON_CHARS_MAX

ID: Final = {"type": "string", "minLength": 1, "pattern": NO_NUL}

GROUP_ID = OpenApiParameter(
    "group_id",
    ID,
    OpenApiParameter.PATH,
    description='Percent-encoded, "/" included: any character is allowed.',
)
MEMBER_ID = OpenApiParameter("member_id", ID, OpenApiParameter.PATH, description="Percent-encoded.")
NAME: Final = ID
"""A filter by name: an empty one is an error."""

CURSOR: Final = {
    "type": "string",
    "minLength": 1,
    "maxLength": CURSOR_MAX,
    "pattern": "^[A-Za-z0-9_-]+$",
}
PARTITION: Final = {"type": "integer", "minimum": 0, "maximum": INT32_MAX}
PART: Final = {"type": "string", "pattern": NO_NUL}
"""A part of a name."""

PAGE = [
    OpenApiParameter("cursor", CURSOR, description="From `next` or `previous` of a page."),
    OpenApiParameter(
        "page_size",
        {"type": "integer", "minimum": 1, "maximum": SIZE_MAX, "default": SIZE},
    ),
]
MOMENT: Final = {"type": "string", "format": "date-time"}
TIMES: Final = [
    OpenApiParameter("since", MOMENT, description="Only entries at this time or later."),
    OpenApiParameter("until", MOMENT, description="Only entries before this time."),
]


def yes_or_no(name: str, description: str) -> OpenApiParameter:
    """A boolean filter."""
    return OpenApiParameter(name, str, enum=("true", "false"), description=description)


def ordering(names: Iterable[str]) -> OpenApiParameter:
    """The fields by which a list may be ordered."""
    words = [word for name in names for word in (name, f"-{name}")]
    return OpenApiParameter(
        "ordering",
        str,
        enum=words,
        description="The field to sort by; with `-`: in descending order.",
    )


KEY_MAX: Final = 255
"""Maximum length of an Idempotency-Key: it is an index key."""

IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": KEY_MAX, "pattern": r"^.*\S.*$"},
    OpenApiParameter.HEADER,
    description="A repeated request with the same key returns the operation of the first one.",
)
PREFER = OpenApiParameter(
    "Prefer",
    str,
    OpenApiParameter.HEADER,
    description="`wait=20`: respond when the operation has ended, after at most 20 seconds.",
)
ANSWERED = [
    OpenApiParameter(
        name, str, OpenApiParameter.HEADER, description=description, response=[200, 202, 409]
    )
    for name, description in (
        ("Location", "The operation."),
        (
            "Idempotency-Replayed",
            "`true` if an earlier request with the key created the operation.",
        ),
    )
]
REASON = OpenApiParameter(
    "reason",
    {"type": "string", "minLength": 1, "maxLength": REASON_CHARS_MAX, "pattern": LINE},
    required=True,
    description="The reason; it may be in a JSON body instead.",
)
SUCCEEDED = "It has succeeded; `outcome` shows whether there was anything to do."
DRY_RUN = OpenApiParameter(
    "dry_run",
    str,
    enum=("true", "false"),
    description="`true`: return what would change, and change nothing.",
)
FAILED = (
    "The operation has failed (the problem contains the `operation`), or cannot be requested now."
)
ACCEPTED = "Recorded; `Location` is the URL of the operation."


@cache
def page_of(shape: type[serializers.Serializer[Any]]) -> serializers.Serializer[Any]:
    """A page of this shape."""
    return _page(shape)


@cache
def all_of(shape: type[serializers.Serializer[Any]]) -> serializers.Serializer[Any]:
    """A list that is short enough to be complete."""
    return inline_serializer(f"{shape.__name__}List", {"data": shape(many=True)})


@cache
def page_beside(
    shape: type[serializers.Serializer[Any]],
    name: str,
    beside: type[serializers.Serializer[Any]],
    *,
    many: bool = False,
) -> serializers.Serializer[Any]:
    """A page of this shape with one more field, or a list."""
    return _page(shape, **{name: beside(many=many)})


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
    """The same for operations with dry runs: 200 is also the plan."""
    either = PolymorphicProxySerializer(
        f"{shape.__name__}Or{plan.__name__}", [shape, plan], resource_type_field_name=None
    )
    return {
        **accepted(shape),
        200: OpenApiResponse(either, SUCCEEDED + " With `dry_run`: what it would do."),
    }


TRIED = (
    "With `dry_run`: `result` is the resource after the change, or the one that would be deleted."
)


@cache
def _tried(shape: type[serializers.Serializer[Any]]) -> serializers.Serializer[Any]:
    fields = {"dry_run": serializers.BooleanField(), "result": shape()}
    return inline_serializer(f"{shape.__name__}Tried", fields)


def tried(shape: type[serializers.Serializer[Any]]) -> dict[int, OpenApiResponse]:
    """The response of a dry run (``View.tried``), besides one of another status."""
    return {200: OpenApiResponse(_tried(shape), TRIED)}


def or_tried(shape: type[serializers.Serializer[Any]]) -> dict[int, OpenApiResponse]:
    """The same besides a response of the same status."""
    name = f"{shape.__name__}OrTried"
    either = PolymorphicProxySerializer(name, [shape, _tried(shape)], resource_type_field_name=None)
    return {200: OpenApiResponse(either, TRIED)}


def accepted(shape: type[serializers.Serializer[Any]]) -> dict[int, OpenApiResponse]:
    """The response to a request that takes time."""
    return {
        202: OpenApiResponse(shape, ACCEPTED),
        200: OpenApiResponse(shape, SUCCEEDED),
        409: OpenApiResponse(None, FAILED),
    }
