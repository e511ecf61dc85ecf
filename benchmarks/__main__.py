"""``python -m benchmarks [NAME ...]``: all of them, or those named."""

import sys

from benchmarks import commits, consumers, heartbeats, idle

BENCHMARKS = {
    "heartbeats": heartbeats.main,
    "commits": commits.main,
    "idle": idle.main,
    "consumers": consumers.main,
}


def main() -> int:
    """Run them one after the other."""
    names = sys.argv[1:] or list(BENCHMARKS)
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"no benchmark is called {unknown[0]}; there are: {', '.join(BENCHMARKS)}")
        return 2
    for name in names:
        print(f"-- {name}: {(sys.modules[f'benchmarks.{name}'].__doc__ or '').splitlines()[0]}")
        BENCHMARKS[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main())
