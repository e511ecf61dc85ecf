"""How a command requests an operation: it waits for its end, or shows what it would do."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

import typer

from rollcall.cli.context import check_ended, patience, rest_of
from rollcall.cli.failures import Code, Failure
from rollcall.cli.output import Column, Output, note, show_one
from rollcall.cli.rest import Rest

OPERATION: Final[Sequence[Column]] = (
    Column("OPERATION", "id"),
    Column("VERB", "verb"),
    Column("GROUP", "group_id"),
    Column("STATE", "state"),
    Column("OUTCOME", "outcome"),
    Column("DETAIL", "detail"),
)

PREVIEW: Final[Sequence[Column]] = (
    Column("VERB", "verb"),
    Column("GROUP", "group_id"),
    Column("WOULD", "would"),
    Column("DETAIL", "detail"),
)

DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show what it would do now, and change nothing.")
]


def await_operation(
    rest: Rest,
    path: str,
    body: Mapping[str, Any],
    timeout_s: float,
    group: str,
    *,
    method: str = "POST",
    **query: Any,
) -> None:
    """Request an operation whose plan was printed already; only its result is printed."""
    with patience(f"offsets of {group}: waiting for the end"):
        operation = rest.operation(method, path, body, timeout_s, **query)
    check_ended(operation)
    note(f"Operation {operation['id']}: {operation['detail']}.")


def check_plan(plan: Mapping[str, Any]) -> None:
    """Raise ``Failure`` if the plan of a dry run says that the operation would fail."""
    if plan["would"] == "fail":
        raise Failure(Code.CONFLICT, f"It would be refused: {plan['detail']}")


class OperationOptions:
    """The options of an operation: how long to wait, and the output format."""

    def __init__(self, context: typer.Context, wait: bool, timeout: float, output: Output) -> None:
        self.rest = rest_of(context)
        self.wait_s = timeout if wait else 0.0
        self.output = output

    def request(self, method: str, path: str, body: Mapping[str, Any], **query: Any) -> None:
        """Request an operation, and print its result.

        Raises ``Failure`` if it was refused, has failed, or has not ended in time.
        """
        of = f" of {query['group_id']}" if "group_id" in query else ""
        with patience(f"{path.rpartition('/')[2]}{of}: waiting for its end"):
            operation = self.rest.operation(method, path, body, self.wait_s, **query)
        show_one(operation, OPERATION, self.output)
        if self.wait_s:
            check_ended(operation)

    def request_or_try(
        self, method: str, path: str, body: Mapping[str, Any], dry_run: bool, **query: Any
    ) -> None:
        """The same, or a dry run."""
        if not dry_run:
            self.request(method, path, body, **query)
            return
        preview = self.rest.request(method, path, {**query, "dry_run": "true"}, body)[1]
        show_one(preview, PREVIEW, self.output)
        check_plan(preview)
