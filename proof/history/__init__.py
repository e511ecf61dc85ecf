"""The history of a run, and the checker that says whether the invariants held (I1 to I12).

Pure: records come in, violations go out; one pass, standard library only, no clock and no I/O.
``format`` describes records; ``observed_state`` holds the state that they imply so far; each family
of invariants has its own file, and ``checker`` has the table of them.
"""

from proof.history.checker import Checker, check
from proof.history.format import Record, Violation

__all__ = ["Checker", "Record", "Violation", "check"]
