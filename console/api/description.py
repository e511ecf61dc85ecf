"""Common parts of the OpenAPI description: problems, and paths with ids in the query.

Hooks of drf-spectacular, which process the finished description. No resource is described here.
"""

import copy
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from console.api.examples import BODIES
from console.api.preconditions import TAGS

GROUP: Final = "/api/v1/groups/{group_id}"
MEMBER: Final = "/{member_id}"
TWIN: Final = "/api/v1/group"
IDS: Final = ("group_id", "member_id")
"""The ids in the query of a twin."""

BY_QUERY: Final = "ids in the query"
"""The tag of all twins: generators of clients can separate or omit them by it."""

FIRST: Final = re.compile(r"[^.:;(]*[^.:;(, ]")
"""The words before the first punctuation mark."""

TEXT: Final = {"type": "string"}

PROBLEM: Final = {
    "type": "object",
    "description": "A problem (RFC 9457).",
    "properties": {
        "type": TEXT,
        "title": TEXT,
        "status": {"type": "integer"},
        "detail": {**TEXT, "description": "A sentence for people."},
        "instance": {**TEXT, "description": "The path of the request, percent-encoded."},
        "code": {**TEXT, "description": "An error code for programs."},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "pointer": {**TEXT, "description": "A JSON pointer into the body."},
                    "parameter": {**TEXT, "description": "The name of a query parameter."},
                    "detail": TEXT,
                },
                "required": ["detail"],
            },
        },
        "operation": {
            "$ref": "#/components/schemas/OperationView",
            "description": "The failed operation, if there is one.",
        },
        "kafka_error_code": {"type": "integer", "description": "Kafka's error code of a refusal."},
    },
    "required": ["type", "title", "status", "detail", "instance", "code"],
}

FAILED: Final = str(int(HTTPStatus.CONFLICT))

UNCHANGED: Final = str(int(HTTPStatus.NOT_MODIFIED))
NOT_MODIFIED: Final = "Nothing has changed since the response with the `ETag` of `If-None-Match`."

REFUSED: Final = {
    "description": "A problem.",
    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
}


TOO_OFTEN: Final = str(int(HTTPStatus.TOO_MANY_REQUESTS))
THROTTLED: Final = {
    **REFUSED,
    "description": "Too many requests of this token or user: `throttled`.",
    "headers": {
        "Retry-After": {
            "schema": {"type": "integer", "minimum": 1},
            "description": "Seconds until the next request is accepted.",
        }
    },
}


def with_problems(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Adds the error responses, in one format: of every request, of failed operations (409), and of
    conditional reads (304)."""
    result["components"]["schemas"]["Problem"] = PROBLEM
    result["components"]["responses"] = {"TooOften": THROTTLED}
    for operations in result["paths"].values():
        for method, operation in operations.items():
            responses = operation["responses"]
            responses |= {
                TOO_OFTEN: {"$ref": "#/components/responses/TooOften"},
                "default": REFUSED,
            }
            responses |= {UNCHANGED: {"description": NOT_MODIFIED}} if method == "get" else {}
            responses |= {
                code: {**REFUSED, **responses[code]} for code in responses if code == FAILED
            }
    return result


def with_files(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Lists are described as available in file formats (``renderers``), with the neighbouring pages
    in a header. As further content types, generated clients might return each list as text."""
    for operations in result["paths"].values():
        response = operations.get("get", {}).get("responses", {}).get("200")
        if response is not None and _lists(response):
            response["content"] = {JSON: response["content"][JSON]}
            response["description"] = FILES
            response["headers"] = {"Link": {"schema": TEXT, "description": NEIGHBOURS}}
    return result


JSON: Final = "application/json"
FILES: Final = "The page; as a file with `Accept: text/csv` or `application/x-ndjson`."
NEIGHBOURS: Final = "Links to the next and the previous page, if they exist (RFC 8288)."


def _lists(response: Any) -> bool:
    name = response.get("content", {}).get("application/json", {}).get("schema", {}).get("$ref", "")
    return bool(name.endswith(("Page", "List")))


IF_MATCH: Final = {
    "in": "header",
    "name": "If-Match",
    "schema": {"type": "string", "pattern": TAGS},
    "example": "*",
    "description": "The `ETag` of the group or topic: 412 if it has changed since.",
}
CHANGED: Final = {**REFUSED, "description": "It has changed: its `ETag` differs from `If-Match`."}
NAMED: Final = ("{group_id}", "{name}")
READS: Final = ("get", "head", "options")


def with_preconditions(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Requests that change a resource in the path accept preconditions."""
    for path, operations in result["paths"].items():
        for method, operation in operations.items():
            if method not in READS and any(name in path for name in NAMED):
                operation["parameters"].append(dict(IF_MATCH))
                operation["responses"]["412"] = CHANGED
    return result


def strict(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Bodies, and objects in them, have no further fields (``inputs``)."""
    schemas = result["components"]["schemas"]
    for operations in result["paths"].values():
        for operation in operations.values():
            for body in operation.get("requestBody", {}).get("content", {}).values():
                _close(schemas, body["schema"])
    return result


def _close(schemas: dict[str, Any], schema: Mapping[str, Any]) -> None:
    target = schemas.get(schema.get("$ref", "").rpartition("/")[2], {})
    if target.get("type") != "object":
        return
    target["additionalProperties"] = False
    for inner in target.get("properties", {}).values():
        _close(schemas, inner)


def with_summaries(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Adds a short summary to each operation, the first words of its description; and an example to
    one with a body."""
    for operations in result["paths"].values():
        for operation in operations.values():
            summary = FIRST.match(" ".join(operation["description"].split()))
            operation["summary"] = summary[0] if summary else operation["operationId"]
            for body in operation.get("requestBody", {}).get("content", {}).values():
                body["example"] = dict(BODIES[operation["operationId"]])
    return result


def with_twins(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Adds the twin of each path of a group, with its ids in the query (``paths.TWIN``)."""
    for path, operations in list(result["paths"].items()):
        if path.startswith(GROUP):
            twin = path.replace(GROUP, TWIN).replace(MEMBER, "")
            twins = result["paths"].setdefault(twin, {})
            twins |= {verb: _twin(o) for verb, o in operations.items()}
    return result


def _twin(operation: dict[str, Any]) -> dict[str, Any]:
    twin = copy.deepcopy(operation)
    twin["operationId"] += "_by_query"
    twin["tags"] = [BY_QUERY]
    for parameter in twin["parameters"]:
        if parameter["in"] == "path" and parameter["name"] in IDS:
            parameter["in"] = "query"
            parameter.pop("description", None)
            if parameter["name"] == "group_id":  # a path does not hold the empty one
                parameter["schema"].pop("minLength")
    return twin
