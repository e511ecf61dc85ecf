"""Other words for commands: what is typed first by those who know other tools."""

from collections.abc import Mapping
from typing import Any, Final

from typer.core import TyperGroup

SYNONYMS: Final[Mapping[str, tuple[str, ...]]] = {
    "list": ("tail",),
    "ls": ("list", "tail"),
    "show": ("describe", "list"),
    "get": ("describe", "show"),
    "info": ("describe", "show"),
    "force": ("rebalance",),
    "reset": ("reset-offsets",),
    "stop": ("pause",),
    "start": ("resume",),
    "unfreeze": ("thaw",),
}
"""By word, commands that it may mean: the first that the group of commands has."""


class Commands(TyperGroup):
    """A group of commands that also understands their synonyms. Help and completion show none."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name, else the one that the word means."""
        names = (cmd_name, *SYNONYMS.get(cmd_name, ()))
        return next((self.commands[name] for name in names if name in self.commands), None)
