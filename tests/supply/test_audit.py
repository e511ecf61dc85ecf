"""``make audit``: an audit that could not look is no good news. And what ``make sbom`` names."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from launcher.installation import CHECKOUT
from tests.supply.audit import audited, judged

GOOD = {"name": "django", "version": "6.0", "vulns": []}
BAD = {
    "name": "celery",
    "version": "5.0",
    "vulns": [{"id": "PYSEC-1", "aliases": ["CVE-2"], "fix_versions": ["5.1"]}],
}
UNKNOWN = {"name": "kombu", "skip_reason": "Dependency not found on PyPI"}


@pytest.mark.parametrize(
    ("packages", "status", "part"),
    [
        ([GOOD], 0, "1 packages: no known vulnerability"),
        ([GOOD, BAD], 1, "celery 5.0: PYSEC-1, CVE-2; mended in 5.1"),
        ([GOOD, UNKNOWN], 2, "1 of 2 packages were not audited"),
        ([BAD, UNKNOWN], 1, "cannot be reached from here: kombu"),
    ],
)
def test_packages_without_a_look_up_are_not_reported_as_good(
    packages: list[Any], status: int, part: str
) -> None:
    sentences, ended = judged({"dependencies": packages})
    assert ended == status and part in "\n".join(sentences)


def test_an_unreachable_service_is_reported_in_one_line(tmp_path: Path) -> None:
    program = tmp_path / "pip-audit"
    program.write_text(f"#!{sys.executable}\nraise SystemExit('ConnectionError: no route')\n")
    program.chmod(0o755)
    (sentence,), status = audited(str(program), tmp_path / "none.txt")
    assert status == 2
    assert sentence.startswith("nothing was audited") and sentence.endswith("no route")


@pytest.mark.long
def test_the_bill_of_materials_lists_the_server_and_the_command_line() -> None:
    subprocess.run(["make", "-s", "sbom"], cwd=CHECKOUT, check=True)
    bill = json.loads((CHECKOUT / "build" / "sbom.json").read_text())
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    named = {each["name"]: each["version"] for each in bill["components"]}
    locked = tomllib.loads((CHECKOUT / "uv.lock").read_text())["package"]
    versions = {each["name"]: each.get("version") for each in locked}
    for name in ("django", "psycopg", "uvloop", "typer", "pyspark"):
        assert named[name] == versions[name]
    assert named.keys().isdisjoint({"pytest", "schemathesis", "pip-audit"})
