"""Celery's two processes are what its own command line would make of the same options."""

import subprocess
import sys

from launcher import commands
from launcher.environment import CHECKOUT


def test_celery_s_shell_is_not_imported() -> None:
    script = """
import sys, launcher.celery, celery.apps.worker, celery.apps.beat
print([name for name in ("prompt_toolkit", "celery.bin") if name in sys.modules])
"""
    said = subprocess.run(
        [sys.executable, "-c", script], cwd=CHECKOUT, capture_output=True, text=True, check=True
    )
    assert said.stdout == "[]\n"


def test_the_table_names_both() -> None:
    assert commands.argv("worker")[1:] == ("-m", "launcher.celery", "worker")
    assert commands.argv("beat")[1:] == ("-m", "launcher.celery", "beat")
