"""What no description can say of a request: schemathesis gets it by ``SCHEMATHESIS_HOOKS``.

Everything else that the description lets through is accepted.
"""

from typing import Any, Final

import schemathesis
from schemathesis.specs.openapi.checks import (
    positive_data_acceptance,
    response_schema_conformance,
)

OF_THE_STATE: Final = {
    "invalid_cursor": "a list has given out none such",
    "policy_violation": "there are as many topics as there may be",
    "invalid_partitions": "the topic has as many",
    "invalid_request": "the topic has fewer",
    "address_not_allowed": "the settings do not allow that address for a webhook",
    "does_not_fire": "the rule that is acknowledged does not fire now",
    "no_such_advice": "the newest run does not give it",
    "precondition_failed": "it is another version",
    "invalid_name": "no pattern tells which characters can be printed",
    "invalid_condition": "schemathesis covers tags without their quotes",
    "idempotency_key_reused": "it asked for something else before",
    "security_disabled": "no authorizer is on",
}
"""Codes of refusals that depend on more than the description can say of a request."""

UNTIL: Final = "#/until"
"""An end of the past is refused there, and no description knows the time."""

OF_ANOTHER_FIELD: Final = {"create_acl": "#/name"}
"""What may stand in one field depends on another: the cluster has one name."""

RESETS: Final = ("reset_offsets", "reset_offsets_by_query")
"""What `to` names stands in the field of that name."""

CONFIGS: Final = ("change_group_config", "change_group_config_by_query")
"""What a value may be depends on the setting that is named beside it, and on other settings."""

PROBLEM: Final = "application/problem+json"


@schemathesis.check
def right_requests_are_accepted(ctx: Any, response: Any, case: Any) -> bool | None:
    """In the place of ``positive_data_acceptance``."""
    kind = response.headers.get("content-type", [""])[0]
    problem = response.json() if kind == PROBLEM else {}
    if problem.get("code") in OF_THE_STATE:
        return None
    operation = case.operation.definition.raw.get("operationId")
    pointers = [error.get("pointer") for error in problem.get("errors", ())]
    if pointers in ([UNTIL], [OF_ANOTHER_FIELD.get(operation)]) or operation in (*RESETS, *CONFIGS):
        return None
    found: bool | None = positive_data_acceptance(ctx, response, case)
    return found


@schemathesis.check
def answers_are_as_described(ctx: Any, response: Any, case: Any) -> bool | None:
    """In the place of ``response_schema_conformance``: who selects fields gets no others,
    and the description has complete responses, for which clients are generated."""
    if "fields" in (case.query or {}) and response.status_code == 200:
        return None
    found: bool | None = response_schema_conformance(ctx, response, case)
    return found
