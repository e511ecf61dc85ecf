"""The history of a run, and the checker that says whether the invariants held (I1 to I10).

Pure: records come in, violations go out; one pass, standard library only, no clock and no I/O. What
a record is stands in ``format``; what records tell of the run so far in ``observed_state``; each
family of invariants has a file of its own, and ``checker`` the table of them.
"""

from proof.history.checker import Checker, check
from proof.history.format import Record, Violation

__all__ = ["Checker", "Record", "Violation", "check"]
