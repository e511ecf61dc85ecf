"""Known vulnerabilities of what uv.lock names, by pip-audit, which asks PyPI.

    python -m tests.supply.audit PIP_AUDIT REQUIREMENTS

pip-audit ends well where PyPI knew nothing of a package: an audit that could not look is no good
news here. The status is 0 where every package was looked up and none has a known vulnerability, 1
where one has, and 2 where some could not be looked up.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

UNKNOWN_SHOWN: Final = 5
"""Packages that are named of those that could not be looked up: where the service is away, it is
all of them."""

SERVICE: Final = "PyPI's vulnerability service (https://pypi.org/pypi/NAME/VERSION/json)"

Told = tuple[Sequence[str], int]
"""Sentences, and the status."""


def judged(report: Mapping[str, Any]) -> Told:
    """What pip-audit's report in JSON says."""
    packages = report["dependencies"]
    found = list(_vulnerabilities(packages))
    unknown = [each["name"] for each in packages if "skip_reason" in each]
    sentences = list(found)
    if unknown:
        named = ", ".join(unknown[:UNKNOWN_SHOWN]) + (", ..." if unknown[UNKNOWN_SHOWN:] else "")
        sentences.append(
            f"{len(unknown)} of {len(packages)} packages were not audited: {SERVICE} does not know"
            f" them, or cannot be reached from here: {named}"
        )
    if not sentences:
        sentences.append(f"{len(packages)} packages: no known vulnerability")
    return sentences, 1 if found else 2 if unknown else 0


def _vulnerabilities(packages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for package in packages:
        for each in package.get("vulns", ()):
            names = ", ".join((each["id"], *each.get("aliases", ())))
            mended = ", ".join(each.get("fix_versions", ())) or "no version yet"
            yield f"{package['name']} {package['version']}: {names}; mended in {mended}"


def audited(pip_audit: str, requirements: Path) -> Told:
    """Ask pip-audit."""
    with tempfile.TemporaryDirectory() as place:
        report = Path(place) / "report.json"
        command = [pip_audit, "--requirement", str(requirements), "--disable-pip"]
        command += ["--require-hashes", "--progress-spinner", "off"]
        command += ["--format", "json", "--output", str(report)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        if not report.exists():
            lines = (ended.stderr.strip() or "it says nothing").splitlines()
            return [f"nothing was audited: {SERVICE} could not be asked: {lines[-1]}"], 2
        return judged(json.loads(report.read_text()))


if __name__ == "__main__":
    told, status = audited(sys.argv[1], Path(sys.argv[2]))
    print(*told, sep="\n", file=sys.stderr if status else sys.stdout)
    sys.exit(status)
