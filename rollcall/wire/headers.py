"""The few bytes in front of every request and response.

Two forms of each: with tagged fields when the message's version is flexible
(KIP-482), without them otherwise. Bodies are ``codec``'s.
"""

from collections.abc import Callable
from struct import Struct, error
from typing import NamedTuple

from rollcall.wire.errors import WireError
from rollcall.wire.limits import FRAME_ELEMENTS_MAX
from rollcall.wire.primitives import skip_tags

_request = Struct(">hhih")
_response = Struct(">ii")
_response_flexible = Struct(">iix")
_header = tuple.__new__  # a third of the time that the class itself takes


class RequestHeader(NamedTuple):
    """Which API is called, in which version, and how the client calls the request and itself."""

    api_key: int
    api_version: int
    correlation_id: int
    client_id: str | None


def parse_header(frame: bytes, flexible: Callable[[int, int], bool]) -> tuple[RequestHeader, int]:
    """A request's header, and the offset of its body.

    ``flexible`` says by API key and version whether tagged fields follow; it is asked
    about keys and versions that nobody has, too. The client id is a string with an
    int16 length in both forms. Raises WireError for a header that is none.
    """
    try:
        api_key, api_version, correlation_id, size = _request.unpack_from(frame)
        offset = _request.size
        client_id = None
        if size >= 0:
            offset += size
            client_id = frame[_request.size : offset].decode()
        if flexible(api_key, api_version):
            if frame[offset]:
                offset, _ = skip_tags(frame, offset, FRAME_ELEMENTS_MAX)
            else:
                offset += 1
    except (IndexError, error):
        raise WireError("request header: truncated") from None
    except UnicodeDecodeError:
        raise WireError("request header: the client id is not UTF-8") from None
    except WireError as refused:
        raise WireError(f"request header: {refused}") from None
    if offset > len(frame):
        raise WireError("request header: truncated")
    return _header(RequestHeader, (api_key, api_version, correlation_id, client_id)), offset


def response_frame(correlation_id: int, body: bytes, flexible: bool) -> bytes:
    """A whole response: length, header, body.

    ``flexible`` is False for every version of ApiVersions: its client does not
    know yet which versions we have (KIP-511).
    """
    if flexible:
        return _response_flexible.pack(len(body) + 5, correlation_id) + body
    return _response.pack(len(body) + 4, correlation_id) + body
