"""Parses JSON of requests strictly: unambiguous, and limited in size.

Python's parser accepts more than the standard (NaN), and takes the last of duplicate keys, as
parsers may; a proxy that checked the first one would let something else through.
"""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final, NoReturn

from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import JSONParser

BODY_BYTES_MAX: Final = 1_048_576
"""Bodies here contain only a reason and a few values."""


class TooLarge(APIException):
    """A body with more bytes than allowed."""

    status_code = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    default_code = "too_large"
    default_detail = f"A request body has at most {BODY_BYTES_MAX} bytes."


class StrictJSONParser(JSONParser):
    """JSON in UTF-8 (RFC 8259), without duplicate keys."""

    def parse(
        self, stream: Any, media_type: str | None = None, parser_context: Any = None
    ) -> dict[str, Any]:
        """The body's value, of any JSON type."""
        sent = stream.read(BODY_BYTES_MAX + 1)
        if len(sent) > BODY_BYTES_MAX:
            raise TooLarge
        try:
            value: dict[str, Any] = json.loads(
                sent.decode(), object_pairs_hook=_object, parse_constant=_refuse_constant
            )
        except RecursionError:
            raise ParseError("The JSON is nested too deeply.") from None
        except ValueError as error:
            raise ParseError(f"This is not JSON: {error}") from None
        return value


def _object(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a key is duplicated in an object")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
