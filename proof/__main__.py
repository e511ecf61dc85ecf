"""``python -m proof NAME``: the table of proofs that are programs."""

import importlib
import sys
from collections.abc import Mapping, Sequence

COMMANDS: Mapping[str, str] = {
    "chaos": "proof.chaos.command",
    "dead-members": "proof.chaos.dead_members_command",
    "failover": "proof.chaos.failover_command",
    "fleet": "proof.simulation.fleet_command",
    "foresight": "proof.foresight.command",
    "repeats": "proof.chaos.repeats_command",
    "zombies": "proof.chaos.zombies_command",
    "predicted": "proof.simulation.predicted",
    "simulate": "proof.simulation.command",
    "stories": "proof.stories.command",
}
"""Each has a ``main(arguments)`` that returns the exit status."""


def main(arguments: Sequence[str]) -> int:
    """Call the command named by the first argument."""
    if not arguments or arguments[0] not in COMMANDS:
        print("usage: python -m proof " + "|".join(COMMANDS), file=sys.stderr)
        return 2
    command = importlib.import_module(COMMANDS[arguments[0]])
    return int(command.main(arguments[1:]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
