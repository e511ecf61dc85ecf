"""What docker/ holds is well formed, and says the same as the code.

Whether the image builds is not asked here: that needs Docker and a registry.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import rollcall
from launcher import commands
from tests.docker.files import (
    CHECKOUT,
    COMPOSE,
    DOCKERFILE,
    FOLDER,
    VARIABLE,
    compose,
    copied,
    packages,
    project,
    services,
    variables_in_python,
)

BIN = Path(sys.executable).parent
NOT_PACKAGES = {
    *("pyproject.toml", "uv.lock", "manage.py", "templates"),
    *("docker/healthcheck.py", "docker/uv-requirements.txt"),
}


@pytest.mark.parametrize(
    "linter",
    [
        (BIN / "hadolint", DOCKERFILE),
        (BIN / "yamllint", "--strict", "-c", FOLDER / ".yamllint", COMPOSE),
    ],
    ids=["Dockerfile", "compose"],
)
def test_the_linter_finds_no_problem(linter: tuple[str | Path, ...]) -> None:
    run = subprocess.run(linter, capture_output=True, text=True, check=False)

    assert (run.returncode, run.stdout + run.stderr) == (0, "")


# -- The Dockerfile ------------------------------------------------------------------------


def test_everything_that_is_copied_exists() -> None:
    assert [name for name in copied() if not (CHECKOUT / name).exists()] == []


def test_the_image_has_the_packages_of_the_project() -> None:
    assert set(copied()) - NOT_PACKAGES == packages()


def test_the_version_is_known_where_the_project_is_not_installed() -> None:
    assert project()["project"]["version"] == rollcall.__version__
    code = [path for package in packages() for path in (CHECKOUT / package).rglob("*.py")]
    assert [str(path) for path in code if OWN_DISTRIBUTION.search(path.read_text())] == []


OWN_DISTRIBUTION = re.compile(r"""(version|metadata|distribution)\(["']rollcall["']\)""")


def test_the_build_context_has_the_copied_files_only() -> None:
    lines = (CHECKOUT / ".dockerignore").read_text().splitlines()

    assert "*" in lines
    assert {line[1:].rstrip("/") for line in lines if line.startswith("!")} == set(copied())


def test_uv_is_installed_by_hash_here_and_in_the_image() -> None:
    assert "--require-hashes -r /tmp/uv-requirements.txt" in DOCKERFILE.read_text()
    makefile = (CHECKOUT / "Makefile").read_text()
    assert "UV_REQUIREMENTS := docker/uv-requirements.txt\n" in makefile
    installs = [line for line in makefile.replace("\\\n", "").splitlines() if "pip install" in line]
    assert installs
    for line in installs:
        assert line.count("pip install") == line.count("--require-hashes -r $(UV_REQUIREMENTS)")


def test_other_images_are_pinned_by_digest() -> None:
    names = re.findall(r"^(?:ARG PYTHON_IMAGE=|FROM )(\S+)", DOCKERFILE.read_text(), re.MULTILINE)
    names = [name for name in names if name != "${PYTHON_IMAGE}"]
    names += [service["image"] for service in compose()["services"].values()]
    for name in {*names} - {"rollcall:local"}:
        assert re.fullmatch(r"\w+:[\w.-]+@sha256:[0-9a-f]{64}", name), name
    assert len({*names}) == 3


def test_the_image_runs_as_an_unprivileged_user_with_the_table_of_programs_as_entry_point() -> None:
    last = DOCKERFILE.read_text().rpartition("\nFROM ")[2]

    assert re.search(r"^USER (?!0\b|root)\d+:\d+$", last, re.MULTILINE)
    assert 'ENTRYPOINT ["python", "-m", "launcher.program"]' in last


def test_the_image_has_a_supported_python() -> None:
    image = re.search(r"PYTHON_IMAGE=python:3\.(\d+)-", DOCKERFILE.read_text())
    least = re.fullmatch(r">=3\.(\d+)", project()["project"]["requires-python"])

    assert image and least and int(image[1]) >= int(least[1])


# -- The compose file ----------------------------------------------------------------------


def test_every_program_has_a_service_and_every_service_is_a_program() -> None:
    assert {service["command"][0] for service in services().values()} == set(commands.PROGRAMS)


def test_servers_wait_for_every_task() -> None:
    for name, service in services().items():
        if service["command"][0] in commands.SERVERS:
            awaited = service["depends_on"]
            assert "postgres" not in awaited, name
            assert {w["condition"] for w in awaited.values()} == {"service_completed_successfully"}
            assert before(name) >= {"postgres", *commands.TASKS}, name


def before(name: str) -> set[str]:
    """Every service that is awaited by this one, through others too."""
    everything = compose()["services"]
    found: set[str] = set()
    new = {name}
    while new:
        new = {other for n in new for other in everything[n].get("depends_on", {})} - found
        found |= new
    return found


def test_tasks_run_once_and_servers_have_restarts_and_health_checks() -> None:
    for name, service in services().items():
        once = service["command"][0] in commands.TASKS
        assert service["restart"] == ("no" if once else "unless-stopped"), name
        assert ("healthcheck" in service) is not once, name


def test_nothing_is_reachable_from_another_machine() -> None:
    everything = compose()["services"]

    assert {service["network_mode"] for service in services().values()} == {"host"}
    assert not any("ports" in service for service in services().values())
    assert all(port.startswith("127.0.0.1:") for port in everything["postgres"]["ports"])


def test_each_process_has_minimal_rights() -> None:
    for name, service in services().items():
        assert service["cap_drop"] == ["ALL"] and service["read_only"] is True, name
        assert "no-new-privileges:true" in service["security_opt"], name


def test_variable_names_are_those_that_the_code_reads() -> None:
    example = (FOLDER / ".env.example").read_text()
    named = {
        word
        for text in (COMPOSE.read_text(), example)
        for word in re.findall(r"ROLLCALL_\w+", text)
    }

    assert "ROLLCALL_DATABASE_URL" in named
    assert named - variables_in_python() == set()


def test_required_variables_of_the_compose_file_are_in_the_example() -> None:
    asked = set(VARIABLE.findall(COMPOSE.read_text()))
    example = (FOLDER / ".env.example").read_text()

    assert (
        asked and {n for n in asked if not re.search(rf"^#?{n}=", example, re.MULTILINE)} == set()
    )


def test_no_password_is_committed() -> None:
    everything = compose()["services"]
    values = [
        value
        for service in everything.values()
        for key, value in service["environment"].items()
        if "PASSWORD" in key
    ]

    assert values and all(value.startswith("${POSTGRES_PASSWORD:?") for value in values)
    assert re.findall(r"PASSWORD=(.*)", (FOLDER / ".env.example").read_text()) == ["", ""]
    assert ".env" in (FOLDER / ".gitignore").read_text().splitlines()
