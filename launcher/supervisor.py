"""Starts stages in order, restarts processes that die, stops everything in reverse order.

One loop in the main thread, which sleeps until a signal, a child's end or the next due time.
``plan.py`` defines what is started; ``child.py`` starts one child.
"""

import time
from collections.abc import Sequence

from launcher.child import Child, describe
from launcher.errors import LaunchError
from launcher.forks import Forks
from launcher.output import Output
from launcher.process import Command, Ladder, Process, Stage, Task
from launcher.signals import Signals

BACK_OFF_FIRST_S = 0.2
BACK_OFF_MAX_S = 5.0
SETTLED_S = 60.0
"""A process that lived this long starts again with the shortest back-off."""

START_ATTEMPTS_MAX = 4
"""A process that dies this often before it has served fails the start."""

PROBE_EVERY_S = 0.02
LOOK_EVERY_S = 0.5
"""How long the loop sleeps at most; signals and ends of children wake it at once."""


class Stopped(Exception):
    """A stop was requested: not an error, but it also aborts the current work."""


def no_other_way(_command: Command) -> None:
    """Without a fork server: each process is started on its own."""


class Supervised:
    """A process of the plan with its history: the current child, and when to start the next one."""

    def __init__(self, process: Process, output: Output, forks: Forks | None) -> None:
        self.process = process
        self._way = no_other_way if forks is None else forks.start
        self.served: str | None = None
        self._output = output
        self._back_off_s = BACK_OFF_FIRST_S
        self._deaths_at_start = 0
        self._start()

    def mend(self, now: float) -> None:
        """Notice that the child ended, and start the next one when it is due."""
        if self.child is None:
            if now >= self._next_start:
                self._start()
        elif (status := self.child.status()) is not None:
            self._bury(now, status)

    def probe(self) -> bool:
        """Whether the process serves, or has served before."""
        if self.served is None and self.child is not None:
            self.served = self.process.probe()
        return self.served is not None

    def _start(self) -> None:
        self._started = time.monotonic()
        self.child: Child | None = Child(
            self.process.name, self.process.command, self._output, self._way
        )

    def _bury(self, now: float, status: int) -> None:
        assert self.child is not None
        self.child.forget()
        self.child = None
        if self.served is None:
            self._deaths_at_start += 1
            if self._deaths_at_start >= START_ATTEMPTS_MAX:
                raise LaunchError(f"{self.process.name} {describe(status)} at each start.")
        if now - self._started >= SETTLED_S:
            self._back_off_s = BACK_OFF_FIRST_S
        text = f"{describe(status)}; starts again in {self._back_off_s:g} s"
        self._output.say(self.process.name, text)
        self._next_start = now + self._back_off_s
        self._back_off_s = min(self._back_off_s * 2, BACK_OFF_MAX_S)


class Supervisor:
    """Runs a plan until a stop is requested."""

    def __init__(self, output: Output, signals: Signals, forks: Forks | None = None) -> None:
        self._output = output
        self._forks = forks
        self._signals = signals
        self._stages: list[list[Supervised]] = []
        self._task: Child | None = None

    def start(self, plan: Sequence[Stage]) -> None:
        """Start all stages; raises ``Stopped``, or ``LaunchError`` when one fails."""
        for stage in plan:
            if isinstance(stage, Task):
                self.carry_out(stage)
            else:
                self.begin(stage() if callable(stage) else stage)

    def begin(self, stage: tuple[Process, ...]) -> None:
        """Start the processes of a stage, and wait until all of them serve."""
        started: list[Supervised] = []
        self._stages.append(started)
        for process in stage:
            self._settle(process.command)
            started.append(Supervised(process, self._output, self._forks))
        while not all(one.probe() for one in started):
            self._turn(PROBE_EVERY_S)

    def carry_out(self, task: Task) -> None:
        """Run a task to its end."""
        self._settle(task.command)
        way = no_other_way if self._forks is None else self._forks.start
        self._task = Child(task.name, task.command, self._output, way)
        while (status := self._task.status()) is None:
            self._turn(LOOK_EVERY_S)
        self._task.forget()
        self._task = None
        if status != 0:
            raise LaunchError(f"{task.name} {describe(status)}, so Rollcall does not start.")

    def served(self) -> dict[str, str]:
        """Where each process serves."""
        return {s.process.name: s.served for stage in self._stages for s in stage if s.served}

    def watch(self) -> None:
        """Restart what dies, until a stop is requested."""
        try:
            while True:
                self._turn(LOOK_EVERY_S)
        except Stopped:
            return

    def stop(self) -> None:
        """Stop everything, the last stage first, each process by its own ladder of signals."""
        if self._task is not None:
            self._task.clear()
            self._task.forget()
        while self._stages:
            stop_stage(self._stages.pop(), self._signals)

    def _settle(self, command: Command) -> None:
        """Wait until the fork server can fork this, if there is one and it is to do that."""
        while command.program and self._forks is not None and not self._forks.is_settled(command):
            self._turn(PROBE_EVERY_S)

    def _turn(self, longest_s: float) -> None:
        """Wait for an event, and restart what died."""
        self._signals.wait(longest_s)
        if self._signals.stop_requested:
            raise Stopped
        now = time.monotonic()
        if self._forks is not None:
            self._forks.mend()
        for stage in self._stages:
            for one in stage:
                one.mend(now)


def stop_stage(stage: Sequence[Supervised], signals: Signals) -> None:
    """Send each child its ladder of signals, all children at the same time, the last started
    first."""
    begun = time.monotonic()
    descents = [
        Descent(one.child, one.process.ladder, begun)
        for one in reversed(stage)
        if one.child is not None
    ]
    while descents:
        now = time.monotonic()
        descents = [descent for descent in descents if descent.goes_on(now)]
        signals.wait(PROBE_EVERY_S if descents else 0.0)


class Descent:
    """The progress of one child through its ladder of signals."""

    def __init__(self, child: Child, ladder: Ladder, begun: float) -> None:
        self._child = child
        self._rungs = iter(ladder)
        self._next_at = begun

    def goes_on(self, now: float) -> bool:
        """Send the signal that is due; False once the child has ended, or no signal is left."""
        if self._child.status() is not None:
            self._child.forget()
            return False
        if now < self._next_at:
            return True
        for number, wait_s in self._rungs:
            self._child.send(number)
            self._next_at = now + wait_s
            return True
        return False
