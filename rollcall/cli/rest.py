"""REST requests of the commands: all pages of lists, awaited operations, problems as failures.

Ids are in the query, never in the path (docs/rest.md, *Ids of any kind*), so no proxy or library
misinterprets any name of a group or topic.
"""

import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qsl, quote, urlsplit

import httpx

from rollcall.cli.failures import Code, Failure, of_problem
from rollcall.cli.profiles import Profile

ROOT: Final = "/api/v1"
PAGE_SIZE: Final = 500

CONNECT_S: Final = 5.0
ANSWER_S: Final = 60.0
"""Longer than the 20 s that a request may wait for its operation."""

WAIT_S_MAX: Final = 20
"""The server's maximum wait (docs/rest.md)."""

ATTEMPTS: Final = 3
AGAIN_S: Final = 0.5
"""The pause between attempts without a response: operations have a key, so a repeated request does
not create a second one."""

ENDED: Final = ("succeeded", "failed")

Row = dict[str, Any]


class Rest:
    """The REST of one installation."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        headers = {"Accept": "application/json", "User-Agent": "rollcall-cli"}
        if not (profile.token.isascii() and profile.token.isprintable()):
            raise Failure(Code.USAGE, "The token has a character that no token has.")
        if profile.token:
            headers["Authorization"] = f"Bearer {profile.token}"
        try:
            self._client = httpx.Client(
                base_url=profile.url,
                headers=headers,
                timeout=httpx.Timeout(ANSWER_S, connect=CONNECT_S),
                verify=profile.ca_file or True,
            )
        except (OSError, UnicodeEncodeError, httpx.InvalidURL) as error:
            raise Failure(Code.USAGE, f"{profile.url}: the request failed: {error}") from None

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def get(self, path: str, **query: Any) -> Any:
        """The JSON of a resource. Raises ``Failure``."""
        return self.request("GET", path, query)[1]

    def pages(self, path: str, *, most: int | None = None, **query: Any) -> Iterator[Row]:
        """The rows of a list, page after page, up to a maximum."""
        left = most
        while left is None or left > 0:
            size = PAGE_SIZE if left is None else min(left, PAGE_SIZE)
            page = self.get(path, **{**query, "page_size": size})
            yield from page["data"]
            left = None if left is None else left - len(page["data"])
            if page["next"] is None:
                return
            # Only the query: a link's host comes from a proxy, and the token must go only to the
            # selected installation.
            query |= dict(parse_qsl(urlsplit(page["next"]).query, keep_blank_values=True))

    def operation(
        self, method: str, path: str, body: Mapping[str, Any], wait_s: float, **query: Any
    ) -> Row:
        """Request an operation and wait for its end; returns it, ended or not.

        Raises ``Failure`` if it was refused or has failed.
        """
        end = time.monotonic() + wait_s
        headers = {"Idempotency-Key": uuid.uuid4().hex, **_prefer(wait_s)}
        _, operation = self.request(method, path, query, body, headers)
        while operation["state"] not in ENDED and (left := end - time.monotonic()) > 0:
            headers = _prefer(left)
            _, operation = self.request("GET", f"/operations/{operation['id']}", {}, None, headers)
        if operation["state"] == "failed":
            raise Failure(Code.FAILED, f"Operation {operation['id']} failed: {operation['detail']}")
        return dict(operation)

    def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any],
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[int, Any]:
        """Status and JSON of a response. A request without a response is repeated: reads change
        nothing, and writes have a key."""
        params = {name: value for name, value in query.items() if value is not None}
        is_safe = method == "GET" or "Idempotency-Key" in (headers or {})
        for attempt in range(ATTEMPTS):
            is_last = attempt == ATTEMPTS - 1 or not is_safe
            try:
                answer = self._client.request(
                    method, ROOT + path, params=params, json=body, headers=headers
                )
            except httpx.InvalidURL as error:
                sentence = f"{self.profile.url} is not a URL: {error}"
                raise Failure(Code.USAGE, sentence) from None
            except httpx.HTTPError as error:
                if is_last or isinstance(error, httpx.UnsupportedProtocol):
                    raise self.unreachable(error) from None
            else:
                if is_last or answer.status_code != HTTPStatus.SERVICE_UNAVAILABLE:
                    return answer.status_code, self.json_of(answer)
            time.sleep(AGAIN_S)
        raise AssertionError("the last attempt returns or raises")

    @contextmanager
    def stream(
        self,
        path: str,
        query: Mapping[str, Any],
        headers: Mapping[str, str],
        *,
        silent_s: float,
    ) -> Iterator[httpx.Response]:
        """A streaming response: its body is read as it arrives, with this read timeout. Raises
        ``httpx.HTTPError``."""
        params = {name: value for name, value in query.items() if value is not None}
        patience = httpx.Timeout(silent_s, connect=CONNECT_S)
        with self._client.stream(
            "GET", ROOT + path, params=params, headers=headers, timeout=patience
        ) as answer:
            yield answer

    def plain(self, path: str) -> tuple[int, str]:
        """Status and text of a page outside of REST, such as ``/readyz``."""
        try:
            answer = self._client.get(path)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self.unreachable(error) from None
        return answer.status_code, answer.text

    def unreachable(self, error: Exception) -> Failure:
        """The failure when there was no response."""
        why = str(error) or type(error).__name__
        return Failure(Code.OTHER, f"{self.profile.url} does not answer: {why}")

    def json_of(self, answer: httpx.Response) -> Any:
        """The JSON of a complete response; raises ``Failure`` for a problem."""
        try:
            value = answer.json()
        except ValueError:
            value = None
        if answer.is_success and value is not None:
            return value
        if not isinstance(value, dict) or "detail" not in value:
            where = answer.headers.get("Location")
            what = f"; it leads to {where}" if where else ""
            sentence = f"{answer.url.copy_with(query=None)} answered {answer.status_code}{what}"
            raise Failure(Code.OTHER, f"{sentence}, which is not a response of Rollcall.")
        raise of_problem(answer.status_code, value)


def _prefer(wait_s: float) -> dict[str, str]:
    """0: do not wait. Whole seconds, at least one."""
    return {"Prefer": f"wait={max(1, int(min(wait_s, WAIT_S_MAX)))}"} if wait_s > 0 else {}


def segment(text: str) -> str:
    """A topic's name as a part of a path; every valid name can be one. Others would lead to
    another path: ``Failure``."""
    if text in ("", ".", ".."):
        raise Failure(Code.NOT_FOUND, f"There is no topic {text!r}: no topic can have this name.")
    return quote(text, safe="")
