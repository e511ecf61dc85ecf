"""The demo, as a person would run it, for a few seconds."""

import subprocess
import sys

from rollcall.installation import CHECKOUT, Installation


def test_the_demo_tells_who_works_on_what(installation: Installation) -> None:
    demo = (sys.executable, "-m", "rollcall.demo")
    run = subprocess.run(
        [*demo, "--bootstrap", installation.kafka, "--seconds", "10"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert "generation 1, works on [0, 1, 2, 3, 4, 5]" in run.stdout
    assert "works on [0, 3]" in run.stdout or "works on [0, 2, 4]" in run.stdout
    assert run.stdout.endswith("everybody has left\n"), run.stderr


def test_the_demo_says_when_nobody_serves() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "rollcall.demo", "--bootstrap", "127.0.0.1:1"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 1 and "make run" in run.stdout
