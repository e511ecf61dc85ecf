"""``If-Match`` (RFC 9110): a write happens only if its resource has not changed since it was read.

The version of a group is its revision, that of a topic its changeable values, that of a group's
settings their values. An ``ETag`` begins with it, and only this part is compared: heartbeats change
a group's representation without changing the group, and compression changes nothing. It is compared
when the request arrives; a group may change until its owner decides, for which there is
``expected_generation``.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from typing import Final

from rest_framework.request import Request
from rest_framework.response import Response

from console.api.problems import Problem
from console.known_answers import VERSION
from console.operations import topic_changes as changes
from groups.models import Group, Operation, Topic

TAGS: Final = r'^(\*|(W/)?"[^"]*"(, *(W/)?"[^"]*")*)$'
"""Values of the header: any version, or some."""

VERSION_HEX: Final = 16


def of_group(group: Group) -> str:
    """Raised by each durable change."""
    return str(group.revision)


def of_topic(topic: Topic) -> str:
    """Differs for each topic, and for each of its sizes and placements."""
    document = json.dumps([topic.topic_id.hex, topic.partitions, topic.racks])
    return hashlib.sha256(document.encode()).hexdigest()[:VERSION_HEX]


def of_values(own: Mapping[str, str]) -> str:
    """Differs for each set of own settings."""
    return hashlib.sha256(json.dumps(own, sort_keys=True).encode()).hexdigest()[:VERSION_HEX]


def with_version(answer: Response, version: str) -> Response:
    """The response with this version."""
    setattr(answer, VERSION, version)
    return answer


def version(ids: Mapping[str, str]) -> str | None:
    """The version of the resource in a path; None if it does not exist."""
    if "group_id" in ids:
        group: Group | None = Group.objects.filter(group_id=ids["group_id"]).first()
        return None if group is None else of_group(group)
    topic: Topic | None = Topic.objects.filter(name=ids["name"]).first() if "name" in ids else None
    return None if topic is None else of_topic(topic)


def check(request: Request, seen: Callable[[], str | None], key: str | None) -> None:
    """Raise 412 if ``If-Match`` has another version than ``seen``. A repeated request with an
    Idempotency-Key is not executed again, even if the group has changed since."""
    if_match = request.headers.get("If-Match")
    if if_match is None or (key and Operation.objects.filter(idempotency_key=key).exists()):
        return
    compare(request, seen())


@contextmanager
def topic_held(request: Request, name: str) -> Iterator[None]:
    """Lock the topic until it is changed: of two requests with the same version one is refused."""
    if "If-Match" not in request.headers:
        yield
        return
    with changes.alone(name):
        compare(request, version({"name": name}))
        yield


def compare(request: Request, version: str | None) -> None:
    """Raise 412 if ``If-Match`` has another version; None: the resource does not exist."""
    if_match = request.headers.get("If-Match")
    if if_match is None:
        return
    if not re.match(TAGS, if_match):
        detail = 'If-Match is * or the "..." of an ETag.'
        raise Problem(HTTPStatus.BAD_REQUEST, "invalid_condition", detail)
    if version is None or (if_match != "*" and version not in _versions(if_match)):
        detail = "It has changed since the `ETag` was read: read it again, and send the new ETag."
        raise Problem(HTTPStatus.PRECONDITION_FAILED, "precondition_failed", detail)


def _versions(if_match: str) -> set[str]:
    tags = (tag.strip().removeprefix("W/") for tag in if_match.split(","))
    return {
        tag[1:-1].partition(".")[0] for tag in tags if len(tag) > 1 and tag[0] == tag[-1] == '"'
    }
