"""What clients of both protocols have in common: runs, stalls, and requests that are answered."""

from bisect import bisect_right
from collections.abc import Callable
from typing import Any, Final

from groups.core import events
from groups.core.assignors.types import Parts
from pipeline.what_if.clients import NEVER, Client, Run, Stop, span_at
from pipeline.what_if.reactions import Reactions
from pipeline.what_if.recording import Millis
from pipeline.what_if.world import World

NOTHING: Final[Parts] = frozenset()

AGAIN_MS: Final = 100
"""After a refusal a client tries again, about so soon."""

DOUBLED_MAX: Final = 14
"""Doubled so often, a millisecond is more than ``AGAIN_MS_MAX``."""

AGAIN_MS_MAX: Final = 10_000
"""No client asks more seldom."""

LAST: Final = chr(0x10FFFF)
"""After any member id."""


class Member:
    """What both have in common."""

    def __init__(self, world: World, client: Client, reactions: Reactions) -> None:
        self.world, self.client, self.life, self.reactions = world, client, client.life, reactions
        self.member_id, self.owned = "", NOTHING
        self.refusals = 0
        self.run: Run | None = None
        self._number = 0
        self.had: set[str] = set()
        for run in client.runs:
            world.at(run.start, lambda run=run: self._start(run))  # type: ignore[misc]

    # -- a run

    def _start(self, run: Run) -> None:
        self._number += 1
        self.run, self.member_id, self.owned = run, "", NOTHING
        for since, until in run.stalls:
            self.later(until, self._resume_after(since))
        for _, until in run.deaf:
            self.later(until, self.resume)
        for moment in run.removals:
            self.world.at(moment, lambda: self.world.evict(self.member_id))
        if run.stop is not Stop.RUNS:
            self.world.at(run.end, self._end_of(self._number))
        self.join()

    def _end_of(self, number: int) -> Callable[[], None]:
        def end() -> None:
            run = self.run
            if run is None or number != self._number:
                return
            if self.member_id and run.stop is Stop.LEAVES:
                self.leave()
            elif self.member_id and run.stop is Stop.PAUSES:
                self.pause()
            self.run = None

        return end

    def later(self, moment: Millis, act: Callable[[], None]) -> None:
        """Then, or when it is not stalled any more; not in another run."""
        number = self._number

        def go() -> None:
            if number != self._number or self.run is None:
                return
            awake = self._awake_at(self.world.now)
            if awake > self.world.now:
                self.later(awake, act)
            else:
                act()

        if moment < NEVER:
            self.world.at(moment, go)

    def ask(self, answered: Callable[[Any], None]) -> events.Ticket:
        """A ticket; the reply is read once it is not stalled, and not in another run."""
        number = self._number

        def came(reply: Any) -> None:
            if number != self._number or self.run is None:
                return
            if self._awake_at(self.world.now) > self.world.now:
                self.later(self.world.now, lambda: answered(reply))
            else:
                answered(reply)

        return self.world.ticket(self, came)

    def join_again(self, after_ms: Millis) -> None:
        """It was refused: it joins as a new member, later each time."""
        wait = min(after_ms << min(self.refusals, DOUBLED_MAX), AGAIN_MS_MAX)
        self.refusals += 1
        self.later(self.able_at(self.world.now + wait), self.join)

    def _awake_at(self, now: Millis) -> Millis:
        assert self.run is not None
        found = span_at(self.run.stalls, now)
        return now if found is None or found[0] > now else found[1]

    def able_at(self, now: Millis) -> Millis:
        """When it does what it is asked for."""
        assert self.run is not None
        found = span_at(self.run.deaf, now)
        return now if found is None or found[0] > now else found[1]

    def silent_from(self, now: Millis) -> Millis:
        """When it falls silent, or fell, if it is."""
        run = self.run
        if run is None:
            return now
        coming = span_at(run.stalls, now)
        dies = run.end if run.stop in (Stop.DIES, Stop.PAUSES) else NEVER
        return dies if coming is None else min(coming[0], dies)

    def _resume_after(self, since: Millis) -> Callable[[], None]:
        def back() -> None:
            life = self.world.ledger.life_of(self.member_id)
            if life is not None:
                self.world.stalls.append((life, (since, self.world.now)))
            self.resume()

        return back

    def recorded_id(self) -> str:
        """The member id that it had then; "" if none is known."""
        place = bisect_right(self.client.ids, (self.world.now, LAST))
        return self.client.ids[place - 1][1] if place else ""

    def topics(self) -> tuple[str, ...]:
        """What it subscribes to."""
        return self.life.topics or ()

    def join(self) -> None:
        """Become a member."""
        raise NotImplementedError

    def leave(self) -> None:
        """Leave the group."""
        leaver = events.Leaver(self.member_id, self.life.instance_id)
        self.world.step(events.LeaveGroup(members=(leaver,)))

    def pause(self) -> None:
        """Go away, and come back under the same instance id."""

    def resume(self) -> None:
        """It was away, and does not know whether it is still a member."""
        raise NotImplementedError

    def called(self, since: Millis) -> None:
        """The group wants something of its members since then."""
        raise NotImplementedError

    def refresh(self) -> None:
        """A topic has grown, and this one's next heartbeat is now."""
