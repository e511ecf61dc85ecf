"""librdkafka's own tests, built from its source, against a whole installation.

``librdkafka_tests.py`` says which. Only ``make clients`` runs them: they take minutes.
"""

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from launcher.installation import Installation
from tests.clients.builds import VARIABLE, built
from tests.clients.librdkafka_tests import LEFT_OUT, PARTS, Part

RUN_S = 240
"""The longest part takes a minute on an idle machine, and its own limits end it before this."""

PASSED = re.compile(r"\[ \w+:\d+: .*PASS \(")
"""What its runner says of a subtest."""

RUNS = [
    pytest.param(part, protocol, id=f"{part.name}-{protocol}")
    for part in PARTS
    for protocol in part.protocols
]

every_run = pytest.mark.parametrize(("part", "protocol"), RUNS)
slow = pytest.mark.skipif(
    os.environ.get(VARIABLE) != "all", reason=f"takes minutes: make clients, {VARIABLE}=all"
)


def environment(part: Part, protocol: str, conf: Path) -> Mapping[str, str]:
    """librdkafka's runner is configured by its environment. Its libraries are beside it."""
    chosen = {"SUBTESTS": part.subtest} if part.subtest else {}
    libraries = os.pathsep.join(("../src", "../src-cpp"))
    return {
        **os.environ,
        **chosen,
        "TESTS": part.test,
        "TEST_CONSUMER_GROUP_PROTOCOL": protocol,
        "TEST_KAFKA_VERSION": part.kafka,
        "RDKAFKA_TEST_CONF": str(conf),
        "LD_LIBRARY_PATH": libraries,
    }


@slow
@pytest.mark.long
@pytest.mark.timeout(1500)  # the first of them builds
@every_run
def test_librdkafkas_own_test_passes(
    part: Part, protocol: str, installation: Installation, tmp_path: Path
) -> None:
    conf = tmp_path / "test.conf"
    conf.write_text(f"metadata.broker.list={installation.kafka}\ntest.topic.random=true\n")

    # One test at a time, no bad sockets, and none of those that need no broker.
    run = subprocess.run(
        ("./test-runner", "-p1", "-E", "-L"),
        cwd=built("librdkafka") / "tests",
        env=environment(part, protocol, conf),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=RUN_S,
        check=False,
    )

    assert run.returncode == 0, run.stdout[-8000:]
    assert "ALL TESTS PASSED" in run.stdout
    assert len(PASSED.findall(run.stdout)) >= part.passes, run.stdout[-8000:]


def test_tests_that_run_and_tests_left_out_do_not_overlap() -> None:
    names = [part.name for part in PARTS]

    assert len(set(names)) == len(names)
    assert not set(names) & set(LEFT_OUT)
