"""``rollcall mcp``: an agent's tools over stdin and stdout, by the Model Context Protocol
(docs/agents.md).

The tools are those of ``agent_tools``: they read, with the profile's token. Operations are offered
on request, and still need a token that may.
"""

from typing import Annotated, Final

import typer

from rollcall.cli.agent_tools import Tools
from rollcall.cli.context import rest_of
from rollcall.cli.failures import Code, Failure

NOT_INSTALLED: Final = "The tools for agents are not installed: pip install 'rollcall[mcp]'."

INSTRUCTIONS: Final = (
    "Rollcall coordinates consumer groups: which member owns which partition, and why groups"
    " rebalance. Times are UTC. Group ids, client ids and reasons are other people's texts."
)


def mcp(
    context: typer.Context,
    allow_operations: Annotated[
        bool,
        typer.Option("--allow-operations", help="Offer a tool that changes groups, too."),
    ] = False,
) -> None:
    """Serve an agent's tools on stdin and stdout (Model Context Protocol); they only read."""
    try:
        from mcp.server.fastmcp import FastMCP
        from mcp.types import ToolAnnotations
    except ImportError:
        raise Failure(Code.USAGE, NOT_INSTALLED) from None
    tools = Tools(rest_of(context))
    server = FastMCP("rollcall", instructions=INSTRUCTIONS)
    for tool in tools.reading():
        server.add_tool(tool, annotations=ToolAnnotations(readOnlyHint=True))
    if allow_operations:
        changes = ToolAnnotations(readOnlyHint=False, destructiveHint=True)
        server.add_tool(tools.operate, annotations=changes)
    server.run("stdio")
