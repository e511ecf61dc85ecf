"""Validates requests: refuses parameters and fields that an operation does not have, and wrong
types.

Each operation is described once (``described``), for the OpenAPI document and for this check, so
undocumented input is refused before anything is done. No resource is here.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from difflib import get_close_matches
from http import HTTPStatus
from itertools import islice
from typing import Any, Final, TypeVar
from urllib.parse import quote

from django.utils.dateparse import parse_datetime
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request, is_form_media_type

from console.api.fields import Id, Lines
from console.api.problems import Problem
from console.plain_text import text_problem
from console.queries.journal_times import EARLIEST, LATEST

ERRORS_MAX: Final = 20
"""Maximum errors in one response; a body may have a million."""

NUMBER: Final = re.compile(r"-?[0-9]{1,18}", re.ASCII)

UNKNOWN_PARAMETER: Final = "This operation has no such parameter."

OTHER_WORDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("limit", "per_page", "pagesize", "size", "count", "max", "top"), "page_size"),
    **dict.fromkeys(("page", "offset", "start", "next", "after"), "cursor"),
    **dict.fromkeys(("sort", "sort_by", "order", "order_by"), "ordering"),
    **dict.fromkeys(("query", "search", "filter", "name", "contains"), "q"),
    **dict.fromkeys(("from", "begin"), "since"),
    **dict.fromkeys(("to", "end", "before"), "until"),
    "dry-run": "dry_run",
}
"""What other APIs call a parameter, and its name here."""
UNKNOWN_FIELD: Final = "There is no such field."
TWICE: Final = "This was given twice."

Error = Mapping[str, str]
Method = TypeVar("Method", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Inputs:
    """The input of an operation: query parameters as JSON schemas by name, and the shape of its
    body.

    A field of the body that is also a query parameter may be in either, not in both.
    """

    query: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    body: type[serializers.Serializer[Any]] | None = None
    fields: tuple[str, ...] = ()
    """Of the result, or of each row of a list."""
    lists: bool = False


NOTHING: Final = Inputs()

ATTRIBUTE: Final = "rollcall_inputs"


def described(
    *, body: type[serializers.Serializer[Any]] | None = None, **arguments: Any
) -> Callable[[Method], Method]:
    """``extend_schema``, and the method then accepts only what this describes.

    ``body``: for a method for which OpenAPI's tools omit it (DELETE).
    """

    def decorate(method: Method) -> Method:
        fields, is_list = (
            _result_fields(arguments.get("responses")) if method.__name__ == "get" else ((), False)
        )
        parameters = [*arguments.get("parameters", ()), *([sparse(fields)] if fields else ())]
        query = {
            parameter.name: _schema(parameter)
            for parameter in parameters
            if parameter.location == OpenApiParameter.QUERY
        }
        inputs = Inputs(query, body or arguments.get("request"), fields, is_list)
        setattr(method, ATTRIBUTE, inputs)
        decorated: Method = extend_schema(**{**arguments, "parameters": parameters})(method)
        return decorated

    return decorate


def _result_fields(shape: Any) -> tuple[tuple[str, ...], bool]:
    """The fields of an operation's result, and whether it is a list."""
    if isinstance(shape, serializers.Serializer) and "data" in shape.fields:
        rows: Any = shape.fields["data"]
        return tuple(rows.child.fields), True
    if isinstance(shape, type) and issubclass(shape, serializers.Serializer):
        return tuple(shape().fields), False
    return (), False


def sparse(names: tuple[str, ...]) -> OpenApiParameter:
    """The parameter that selects fields."""
    return OpenApiParameter(
        "fields",
        {"type": "array", "minItems": 1, "items": {"type": "string", "enum": list(names)}},
        style="form",
        explode=False,
        description="Return only these fields, separated by commas.",
    )


def _schema(parameter: OpenApiParameter) -> Mapping[str, Any]:
    declared = parameter.type
    schema = dict(declared) if isinstance(declared, dict) else {"type": "string"}
    return {**schema, "enum": list(parameter.enum)} if parameter.enum else schema


def of(method: Any) -> Inputs:
    """The inputs of a view's method; an undescribed one has none."""
    inputs: Inputs = getattr(method, ATTRIBUTE, NOTHING)
    return inputs


# -- the query


def query(request: Request, inputs: Inputs, ids: frozenset[str]) -> dict[str, Any]:
    """The query's parameters as values. ``ids`` are in the query too (``paths.TWIN``)."""
    parameters: dict[str, Any] = {}
    errors: list[Error] = []
    for name, values in request.query_params.lists():
        if name in ids and len(values) == 1:
            continue
        schema = inputs.query.get(name)
        try:
            if schema is None:
                raise ValueError(_unknown(name, inputs.query))
            if len(values) > 1:
                raise ValueError(TWICE)
            parameters[name] = _value(values[0], schema)
        except ValueError as error:
            errors.append({"parameter": name[:100], "detail": str(error)})
    _refuse(errors, "Some parameters are invalid.")
    return parameters


def _unknown(name: str, known: Mapping[str, Any]) -> str:
    """The error, with the parameter that may be meant."""
    word = OTHER_WORDS.get(name.lower(), "")
    close = [word] if word in known else get_close_matches(name[:100], known, n=1)
    return f"{UNKNOWN_PARAMETER} Did you mean {close[0]}?" if close else UNKNOWN_PARAMETER


def _value(text: str, schema: Mapping[str, Any]) -> Any:
    """A parameter's value; raises ValueError with the error."""
    if schema["type"] == "integer":
        least, most = schema["minimum"], schema["maximum"]
        if not NUMBER.fullmatch(text) or not least <= int(text) <= most:
            raise ValueError(f"This must be a number from {least} to {most}.")
        return int(text)
    if schema["type"] == "array":
        return [_value(part, schema["items"]) for part in text.split(",")]
    if schema.get("format") == "date-time":
        return _moment(text)
    if "enum" in schema:
        words = {word.casefold(): word for word in schema["enum"]}
        if text.casefold() not in words:
            raise ValueError(f"This must be one of: {', '.join(schema['enum'])}.")
        return words[text.casefold()]
    if len(text) < schema.get("minLength", 0):
        raise ValueError("This must not be empty.")
    return text


def _moment(text: str) -> datetime:
    """In UTC: PostgreSQL knows no zone that is further than 16 hours from it. Programs mean all
    there is by Go's time without a value, in the year 1, and by the end of the year 9999."""
    try:
        moment = parse_datetime(text)
        if moment is not None and moment.tzinfo is not None:
            return min(max(moment.astimezone(UTC), EARLIEST), LATEST)
    except (ValueError, OverflowError):
        pass
    raise ValueError("This must be a date and time with a time zone (RFC 3339).")


# -- the body


def body(request: Request, inputs: Inputs, query: Mapping[str, Any]) -> Any:
    """The validated body, with values of the query in place of its fields; {} without a body."""
    if "Transfer-Encoding" in request.headers:
        # Django treats a body without a length as none.
        detail = "A request body must have a Content-Length; chunked bodies are not accepted."
        raise Problem(HTTPStatus.LENGTH_REQUIRED, "length_required", detail)
    shape = inputs.body
    if shape is None:
        _refuse(_without_shape(request), "This operation takes no body.")
        return {}
    data = _data(request)
    serializer = shape()
    instead = {name: value for name, value in query.items() if name in serializer.fields}
    if isinstance(data, dict):
        both = [_error(f"/{name}", TWICE) for name in instead if name in data]
        _refuse(both, "Some fields were given twice.")
        data = {**instead, **data}
    _refuse(islice(_misfits(serializer, data, ""), ERRORS_MAX), "Some fields are invalid.")
    validated = shape(data=data)
    validated.is_valid(raise_exception=True)
    return validated.validated_data


def _data(request: Request) -> Any:
    if request.META.get("CONTENT_LENGTH") in (None, "", "0"):
        return {}
    return request.data


def _without_shape(request: Request) -> list[Error]:
    """An error for each field. A form without fields is empty too; some clients send one."""
    is_form = is_form_media_type(request.content_type)
    data = {**request._request.POST, **request._request.FILES} if is_form else _data(request)
    if not isinstance(data, dict):
        return [_error("", UNKNOWN_FIELD)]
    return [_error(f"/{_step(name)}", UNKNOWN_FIELD) for name in islice(data, ERRORS_MAX)]


def _misfits(shape: Any, value: Any, at: str) -> Iterator[Error]:
    """Errors that serializers do not find: unknown fields, and values of another JSON type.

    null, and rules beyond the type, are checked by the fields.
    """
    if value is None:
        return
    word, kind = _kind(shape)
    # In Python, true is a number; here it is not. 1.0 is an integer (JSON Schema).
    fits = type(value) is kind or (kind is int and type(value) is float and value.is_integer())
    fits = fits or (kind is float and type(value) is int)
    if not fits:
        yield _error(at, f"This must be {word}.")
    elif kind is dict:
        fields = {name: f for name, f in shape.fields.items() if not f.read_only}
        for name, inner in value.items():
            step = f"{at}/{_step(name)}"
            if name in fields:
                yield from _misfits(fields[name], inner, step)
            else:
                yield _error(step, UNKNOWN_FIELD)
    elif kind is list:
        for number, inner in enumerate(value):
            yield from _misfits(shape.child, inner, f"{at}/{number}")
    elif isinstance(shape, Id):
        return
    elif kind is str and (problem := _text_problem(shape, value)):
        yield _error(at, problem)


def _text_problem(shape: Any, value: str) -> str | None:
    """The error in a text; in one with several lines, that of the first invalid line."""
    texts = value.splitlines() if isinstance(shape, Lines) else [value]
    return next(filter(None, map(text_problem, texts)), None)


def _kind(shape: Any) -> tuple[str, type]:
    """The JSON type of a field, in words and in Python."""
    if isinstance(shape, serializers.ListField | serializers.ListSerializer):
        return "a list", list
    if isinstance(shape, serializers.Serializer):
        return "an object", dict
    if isinstance(shape, serializers.IntegerField):
        return "a whole number", int
    if isinstance(shape, serializers.FloatField):
        return "a number", float
    if isinstance(shape, serializers.BooleanField):
        return "true or false", bool
    return "a text", str


def _step(name: str) -> str:
    """One step of a JSON pointer in a URI fragment (RFC 6901): plain ASCII, whatever the field's
    name."""
    return quote(name[:100].replace("~", "~0").replace("/", "~1"), errors="replace")


def _error(at: str, detail: str) -> Error:
    return {"pointer": f"#{at}", "detail": detail}


def _refuse(errors: Any, detail: str) -> None:
    """Raise if there are errors."""
    listed = list(errors)
    if listed:
        raise Problem(HTTPStatus.BAD_REQUEST, "invalid", detail, errors=listed[:ERRORS_MAX])
