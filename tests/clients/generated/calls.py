"""Drives the Python client that openapi-python-client made: each call of a file, in turn.

    python calls.py URL TOKEN < calls.json

prints a line of JSON for each: the operation, the status, and the type of what was read.
"""

import enum
import importlib
import json
import sys
import typing
from datetime import datetime
from typing import Any

from rollcall_client import AuthenticatedClient  # type: ignore[import-not-found]


def value_of(hint: Any, told: Any) -> Any:
    """A JSON value, as the type that the generated function takes."""
    for kind in typing.get_args(hint) or (hint,):
        if isinstance(kind, type) and issubclass(kind, enum.Enum):
            return kind(told)
        if hasattr(kind, "from_dict"):
            return kind.from_dict(told)
        if kind is datetime:
            return datetime.fromisoformat(told)
    return told


def call(client: Any, asked: Any) -> dict[str, Any]:
    tag = asked["tag"].replace(" ", "_")
    module = importlib.import_module(f"rollcall_client.api.{tag}.{asked['operation_id']}")
    hints = typing.get_type_hints(module.sync_detailed)
    said = {**asked["path_values"], **asked["query"], **asked["headers"]}
    given = {name.lower().replace("-", "_"): value for name, value in said.items()}
    if asked["body"] is not None:
        given["body"] = asked["body"]
    values = {name: value_of(hints[name], value) for name, value in given.items()}
    answer = module.sync_detailed(client=client, **values)
    read = type(answer.parsed).__name__
    return {"operation_id": asked["operation_id"], "status": int(answer.status_code), "read": read}


def main() -> None:
    url, token = sys.argv[1:]
    with AuthenticatedClient(base_url=url, token=token, timeout=60.0) as client:
        for asked in json.load(sys.stdin):
            print(json.dumps(call(client, asked)))


if __name__ == "__main__":
    main()
