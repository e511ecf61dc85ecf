"""A commit and hosted CI check what ``make lint`` and ``.ci/run`` check, by the same commands."""

import re

from launcher.installation import CHECKOUT

MAKEFILE = CHECKOUT / "Makefile"
HOOKS = CHECKOUT / ".pre-commit-config.yaml"
WORKFLOW = CHECKOUT / ".github" / "workflows" / "ci.yml"


def linters() -> set[str]:
    """What ``make lint`` runs, without the folder that each gets."""
    recipe = re.search(r"^lint:.*\n((?:\t.*\n)+)", MAKEFILE.read_text(), re.MULTILINE)
    assert recipe
    lines = recipe[1].replace("$(PYTHON)", ".venv/bin/python").splitlines()
    return {line.strip().removesuffix(" .") for line in lines}


def test_hooks_run_the_linters_of_make() -> None:
    entries = re.findall(r"^ +entry: (.+)$", HOOKS.read_text(), re.MULTILINE)
    assert {e.removesuffix(" --force-exclude").removesuffix(" .") for e in entries} == linters()


def test_hosted_ci_calls_the_same_script() -> None:
    assert re.findall(r"run: (.+)$", WORKFLOW.read_text(), re.MULTILINE) == [".ci/run"]
    assert (CHECKOUT / ".ci" / "run").stat().st_mode & 0o111
