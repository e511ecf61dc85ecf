"""Any bytes, found by which lines they reach: atheris, in an environment of its own.

    build/fuzz-env/bin/python -m tests.fuzzing --runs 4000000
    build/fuzz-env/bin/python -m tests.fuzzing --runs 100000 sasl -- -seed=1

tries each target, or those that are named, so many times; behind ``--`` libFuzzer's own options.
What was found is kept in build/fuzz/corpus and tried again first. Bytes that find a mistake are
written to build/fuzz/crash-..., and the status is 1.
"""

import argparse
import hashlib
import os
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any, Final

import django

from launcher.installation import CHECKOUT

PLACE: Final = CHECKOUT / "build" / "fuzz"
INSTRUMENTED: Final = ("rollcall.wire", "groups.core.subscription", "protocol")
BYTES_MAX: Final = 4096
SECONDS_MAX: Final = 10
"""For one try; what takes longer is a mistake, too."""

CHILD: Final = "ROLLCALL_FUZZ_TARGET"
"""libFuzzer takes all of a process and does not return, so that each target has its own."""


def main() -> int:
    """Each target in its turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("words", nargs="*", help="targets, and options of libFuzzer behind --")
    arguments = parser.parse_args()
    options = [word for word in arguments.words if word.startswith("-")]
    wanted = [word for word in arguments.words if not word.startswith("-")]
    if find_spec("atheris") is None:
        print("no bytes by coverage: atheris has no wheel for this Python and system")
        return 0
    from tests.fuzzing.targets import TARGETS

    for name in wanted or TARGETS:
        print(f"{name}: {arguments.runs} tries", flush=True)
        if _tried(name, arguments.runs, options):
            print(f"{name}: see {PLACE}/crash-*", file=sys.stderr)
            return 1
    return 0


def _tried(name: str, runs: int, options: list[str]) -> int:
    corpus = _corpus(name)
    limits = [f"-max_len={BYTES_MAX}", f"-timeout={SECONDS_MAX}", f"-artifact_prefix={PLACE}/"]
    command = [sys.executable, "-m", "tests.fuzzing", f"-runs={runs}", "-print_final_stats=1"]
    environ = {**os.environ, CHILD: name}
    ended = subprocess.run([*command, *limits, *options, str(corpus)], env=environ, check=False)
    return ended.returncode


def _corpus(name: str) -> Path:
    """Where what was found is, with something to begin with."""
    from tests.fuzzing.targets import seeds

    place = PLACE / "corpus" / name
    place.mkdir(parents=True, exist_ok=True)
    for seed in seeds(name, Random(name)):
        (place / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)
    return place


def fuzz(name: str) -> None:
    """Try until libFuzzer has had enough; it ends the process."""
    atheris: Any = import_module("atheris")  # not in the environment of the other tests
    early = [module for module in sys.modules if module.startswith(INSTRUMENTED)]
    assert not early, f"imported too early to see which lines are reached: {early}"
    with atheris.instrument_imports(include=list(INSTRUMENTED)):
        django.setup()
        from rollcall.wire import codec
        from tests.fuzzing.targets import TARGETS
    for codecs in (codec._decoders, codec._encoders):
        _instrument(codecs, atheris)
    atheris.Setup(sys.argv, TARGETS[name])
    atheris.Fuzz()


def _instrument(codecs: Any, atheris: Any) -> None:
    """Codecs are compiled on first use, so coverage has not seen their lines."""
    compiled = codecs.compiler
    codecs.compiler = lambda cls, version: atheris.instrument_func(compiled(cls, version))


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "coordinator_site.settings")
    if CHILD in os.environ:
        fuzz(os.environ[CHILD])
    django.setup()
    sys.exit(main())
