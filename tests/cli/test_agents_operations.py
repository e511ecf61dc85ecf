"""Which operations agents may ask for, and of what; nothing is requested that is about something
else than it says."""

from typing import Any

import pytest

from rollcall.cli.agent_tools import OFFERED, Tools


class Noted:
    """What would be requested."""

    def __init__(self) -> None:
        self.requested: list[tuple[str, str, str | None]] = []

    def request(self, method: str, path: str, query: Any, body: Any, headers: Any) -> Any:
        self.requested.append((method, path, query["member_id"]))
        return 200, {}, {}


def operate(operation: str, member: str) -> list[tuple[str, str, str | None]]:
    rest: Any = Noted()
    try:
        Tools(rest).operate("g", operation, "a test", member)
    finally:
        found = list(rest.requested)
    return found


def test_no_agent_deletes_or_freezes_a_group() -> None:
    assert OFFERED.keys().isdisjoint({"delete", "freeze"})
    for operation in ("delete", "freeze"):
        with pytest.raises(ValueError, match="no operation"):
            operate(operation, "")


@pytest.mark.parametrize("operation", ["evict", "drain", "undrain"])
def test_an_operation_on_a_member_needs_one(operation: str) -> None:
    """Without one its path would be the group's, and an eviction the group's deletion."""
    with pytest.raises(ValueError, match="about a member"):
        operate(operation, "")
    assert operate(operation, "m")[0][2] == "m"


def test_paths_are_those_of_the_table() -> None:
    assert operate("evict", "m") == [("DELETE", "/group/members", "m")]
    assert operate("rebalance", "") == [("POST", "/group/rebalances", None)]
    assert operate("pause", "") == [("POST", "/group/pause", None)]
    assert operate("pause", "m") == [("POST", "/group/members/pause", "m")]
