"""A reader's position in the journal, including entries that appear late.

Numbers are assigned before commits, so an entry may appear after greater ones. A position is the
greatest number that was read and the gaps below it; as text it is the id of an event, with which a
client resumes and gets each further entry once. Pure: time is an argument.
"""

import re
from dataclasses import dataclass, field
from typing import Final, Self

LATEST_S: Final = 180.0
"""How long an entry with a skipped number is waited for: a worker's statement may take sixty
seconds, a person's longer. Later ones are not delivered; they are in the list."""

GAPS_MAX: Final = 50
"""The newest ranges that a position keeps: its text is a request header."""

SEQ_MAX: Final = 2**63 - 1

NUMBER: Final = r"[0-9]{1,19}"
GAP: Final = rf"{NUMBER}(?:-{NUMBER})?"
TEXT: Final = re.compile(rf"({NUMBER})(?:~({GAP}(?:,{GAP}){{0,{GAPS_MAX - 1}}}))?", re.ASCII)


@dataclass(slots=True)
class Gap:
    """Numbers from ``first`` to ``last`` that were not read, and until when they may appear."""

    first: int
    last: int
    until: float

    def text(self) -> str:
        """The form in a position's text."""
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"


@dataclass(slots=True)
class Position:
    """All numbers up to ``greatest`` were read, except for ``gaps``."""

    greatest: int = 0
    gaps: list[Gap] = field(default_factory=list)

    @classmethod
    def read(cls, text: str, now: float) -> Self:
        """From its text; raises ``ValueError`` if it is invalid."""
        match = TEXT.fullmatch(text)
        if match is None:
            raise ValueError(text[:100])
        gaps: list[Gap] = []
        greatest = int(match[1])
        for part in filter(None, (match[2] or "").split(",")):
            first, _, last = part.partition("-")
            gap = Gap(int(first), int(last or first), now + LATEST_S)
            if not (gaps[-1].last if gaps else 0) < gap.first <= gap.last < greatest:
                raise ValueError(text[:100])
            gaps.append(gap)
        if greatest > SEQ_MAX:
            raise ValueError(text[:100])
        return cls(greatest, gaps)

    @classmethod
    def behind(cls, newest: list[int], now: float) -> Self:
        """The position at the end of the journal, of which ``newest`` are the last numbers in any
        order."""
        if not newest:
            return cls()
        seqs = sorted(newest)
        position = cls(seqs[0])
        for seq in seqs[1:]:
            position.note(seq, now)
        return position

    def text(self) -> str:
        """The id of the event at this position."""
        gaps = ",".join(gap.text() for gap in self.gaps)
        return f"{self.greatest}~{gaps}" if gaps else str(self.greatest)

    def note(self, seq: int, now: float) -> bool:
        """Whether the entry was not read yet; marks it as read."""
        if seq > self.greatest:
            if seq > self.greatest + 1:
                self.gaps.append(Gap(self.greatest + 1, seq - 1, now + LATEST_S))
                del self.gaps[:-GAPS_MAX]
            self.greatest = seq
            return True
        for at, gap in enumerate(self.gaps):
            if gap.first <= seq <= gap.last:
                parts = (Gap(gap.first, seq - 1, gap.until), Gap(seq + 1, gap.last, gap.until))
                self.gaps[at : at + 1] = [part for part in parts if part.first <= part.last]
                del self.gaps[:-GAPS_MAX]
                return True
        return False

    def forget(self, now: float) -> None:
        """Drop gaps that have expired; none lasts longer than ``LATEST_S``, if the clock was set
        back."""
        self.gaps = [gap for gap in self.gaps if gap.until > now]
        for gap in self.gaps:
            gap.until = min(gap.until, now + LATEST_S)
