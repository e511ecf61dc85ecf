"""An agent's tools, through the protocol's own client over stdin and stdout."""

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.cli.conftest import Cli
from tests.clients.conftest import Worker

READING = {
    "list_groups",
    "describe_group",
    "why",
    "timeline",
    "compare",
    "who_owned",
    "what_if",
    "needs_attention",
    "report",
}


async def _asked(words: tuple[str, ...], calls: Mapping[str, Mapping[str, Any]]) -> Any:
    arguments = ["-m", "rollcall.cli", "mcp", *words]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = (await session.list_tools()).tools
        answers = {name: await session.call_tool(name, {**with_}) for name, with_ in calls.items()}
    return tools, answers


def asked(*words: str, **calls: Mapping[str, Any]) -> Any:
    """The tools that are offered, and the answers to these calls."""
    with ThreadPoolExecutor(1) as beside:
        return beside.submit(asyncio.run, _asked(words, calls)).result()


def said(answer: Any) -> Any:
    """What a tool answered."""
    assert not answer.isError, answer.content
    return json.loads(answer.content[0].text)


def test_tools_read_by_default(cli: Cli, worker: Worker, name: str) -> None:
    tools, answers = asked(
        describe_group={"group": name},
        what_if={"group": name, "members": 1},
        why={"group": name},
        timeline={"group": name},
        list_groups={"search": name},
        needs_attention={},
        report={"name": "no such"},
        operate={"group": name, "operation": "rebalance", "reason": "no"},
    )
    assert {tool.name for tool in tools} == READING
    assert all(tool.annotations.readOnlyHint and tool.description for tool in tools)
    group = said(answers["describe_group"])
    assert (group["group_id"], len(group["members"])) == (name, 1)
    foreseen = said(answers["what_if"])
    assert foreseen["accuracy"] in ("exact", "estimated") and foreseen["members"] == 2
    assert foreseen["text"] in cli("group", "what-if", name, "--members", "1").errors
    assert said(answers["list_groups"])["group_id"] == name
    assert "rebalance" in said(answers["timeline"])["text"]
    assert "cost" in said(answers["report"])["reports"]
    assert answers["operate"].isError, "nothing that changes is offered"


def test_operations_are_offered_on_request_and_tried_first(
    cli: Cli, worker: Worker, name: str
) -> None:
    wish = {"group": name, "operation": "rebalance", "reason": "an agent's wish"}
    tools, answers = asked("--allow-operations", operate=wish, what_if={"group": "no such group"})
    [changing] = [tool for tool in tools if not tool.annotations.readOnlyHint]
    assert changing.name == "operate" and len(tools) == len(READING) + 1
    tried = said(answers["operate"])
    assert tried["dry_run"] is True
    assert answers["what_if"].isError and "no such group" in answers["what_if"].content[0].text
    _, done = asked("--allow-operations", operate={**wish, "dry_run": False})
    assert said(done["operate"])["state"] == "succeeded"
    assert said(done["operate"])["generation"] == tried["generation"] + 1


def test_a_token_that_may_not_is_refused(
    cli: Cli, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROLLCALL_TOKEN", "rc_no_such_token")
    _, answers = asked(list_groups={})
    assert answers["list_groups"].isError and "token" in answers["list_groups"].content[0].text
