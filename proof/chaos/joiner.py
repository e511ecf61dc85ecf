"""What members of the classic protocol and of the 0.9 draft have in common: they join, and whenever
a heartbeat says so they join again."""

from abc import abstractmethod

from proof.chaos.member import Member


class Joiner(Member):
    """Joins if it has to, else sends a heartbeat, and commits now and then."""

    wants_to_join: bool = True
    _beats: int = 0

    async def step(self) -> float:
        """Join if necessary, else heartbeat, and commit now and then."""
        if self.wants_to_join:
            await self._join()
        elif await self._beat():
            self._beats += 1
            if self._beats % self.commits_every == 0:
                self._mind(await self.commit(), "OffsetCommit")
        return 0.0 if self.wants_to_join else self.beats_s

    def rejoin(self) -> None:
        """The next step is a JoinGroup."""
        self.wants_to_join = True
        self.settled.clear()

    @abstractmethod
    async def _join(self) -> None: ...

    @abstractmethod
    async def _beat(self) -> bool: ...

    @abstractmethod
    def _mind(self, code: int, api: str) -> bool: ...
