"""Chaos: a whole installation under real members, with faults injected into real processes.

The parts: members that behave as stock clients do (``classic``, ``consumer``, ``fleet``), what they
observed (``record``), the processes and their faults (``world``, ``proxy``, ``faults``), and what
must hold afterwards (``audit``). ``python -m proof chaos`` runs it all.
"""
