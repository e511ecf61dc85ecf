"""The entry point of ``rollcall``; imports nothing of the extra until it is known to be
installed."""

import sys
from importlib.util import find_spec
from typing import Final

NEEDED: Final = ("httpx", "rich", "typer", "yaml")


def main() -> None:
    """Run the command line, or report missing packages."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        sys.exit(f"rollcall: {', '.join(missing)} not installed: pip install 'rollcall[cli]'")
    from rollcall.cli.app import run

    run()


if __name__ == "__main__":
    main()
