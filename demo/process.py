"""A stock member as a process of its own, so that it can die as processes do.

What it does inside is ``stock.py``; when it comes and goes is ``stage.py``.
"""

import asyncio
import json
import sys
from collections.abc import Callable
from dataclasses import asdict

from demo.cast import Part
from demo.member import Tell
from launcher.commands import CHECKOUT

LEAVE_S = 10.0
"""How long a library may take to leave before it is killed."""

LAST_WORDS_BYTES = 2_000


class StockMember:
    """A member that a Kafka client plays; ``complain`` is called at an unrequested end."""

    def __init__(self, part: Part, tell: Tell, complain: Callable[[str], None]) -> None:
        self.part = part
        self.tell = tell
        self.complain = complain
        self._process: asyncio.subprocess.Process | None = None
        self._listening: list[asyncio.Task[None]] = []
        self._is_asked_to_end = False
        self._last_words = b""

    async def enter(self) -> None:
        """Start it. Ctrl-C is not for it: the demo says when it ends."""
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "demo.stock", json.dumps(asdict(self.part))),
            cwd=CHECKOUT,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            process_group=0,
        )
        listeners = (self._hear(self._process), self._remember(self._process))
        self._listening = [asyncio.create_task(listener) for listener in listeners]

    async def leave(self) -> None:
        """Let it leave its group."""
        self._is_asked_to_end = True
        if self._process is None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            async with asyncio.timeout(LEAVE_S):
                await self._process.wait()
        except TimeoutError:
            await self.crash()
        await asyncio.wait(self._listening)

    async def crash(self) -> None:
        """Kill it."""
        self._is_asked_to_end = True
        if self._process is None:
            return
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()
        await asyncio.wait(self._listening)

    async def _hear(self, process: asyncio.subprocess.Process) -> None:
        """Pass on what it holds, until it ends."""
        assert process.stdout is not None
        async for line in process.stdout:
            if not self._is_asked_to_end:
                self.tell(json.loads(line))
        status = await process.wait()
        if not self._is_asked_to_end:
            words = self._last_words.decode(errors="replace").strip().splitlines() or [""]
            self.complain(f"ended by itself with status {status}: {words[-1]}")

    async def _remember(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while more := await process.stderr.read(LAST_WORDS_BYTES):
            self._last_words = (self._last_words + more)[-LAST_WORDS_BYTES:]
