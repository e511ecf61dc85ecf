"""A test that hangs ends, wherever its time limit finds it."""

import subprocess
import sys
from pathlib import Path

from launcher.installation import CHECKOUT

HANGS = """
import asyncio
import signal

rung = []

async def busy():
    while not rung:  # the alarm rings while this task runs, and ends it alone
        try:
            while True:
                pass
        except BaseException:
            rung.append(True)
            raise

async def test_hangs():
    task = asyncio.create_task(busy())
    await asyncio.sleep(0)
    await asyncio.Event().wait()
"""


def test_the_alarm_rings_again_where_a_task_took_it(tmp_path: Path) -> None:
    (tmp_path / "test_hangs.py").write_text(HANGS)
    words = [sys.executable, "-m", "pytest", "-p", "tests.time_limit", "-p", "no:django"]
    options = ["-o", "asyncio_mode=auto", "-p", "no:cacheprovider", "--timeout=1", "-q"]
    ran = subprocess.run(
        [*words, *options, "-c", "/dev/null", "--rootdir", str(tmp_path), str(tmp_path)],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "1 failed" in ran.stdout, ran.stdout + ran.stderr
    assert "Timeout (>1.0s)" in ran.stdout
