"""``python -m tests.mutation``: mutants of the rules and of what keeps them (docs/testing.md)."""

import argparse
import sys
from pathlib import Path

from launcher.installation import CHECKOUT
from tests.mutation import session
from tests.mutation.areas import AREAS


def main() -> int:
    """The status says whether any survived that is not accepted."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--count", type=int, help="how many; all by default")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    parser.add_argument("--minutes", type=float, help="begin no more after so many")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--area", action="append", choices=sorted({row.area for row in AREAS}))
    parser.add_argument("--file", action="append", help="only mutants of these files")
    parser.add_argument("--survivors", action="store_true", help="those of the last report again")
    parser.add_argument("--report", type=Path, default=CHECKOUT / "build" / "mutants.json")
    return session.run(CHECKOUT, parser.parse_args())


sys.exit(main())
