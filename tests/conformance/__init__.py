"""The wire-level conformance cases, and their run against a real installation.

``cases_*.py``, ``kwire.py``, ``support.py`` and ``run.py`` are the project owner's, independent
of Rollcall's own codec; they are kept as they came, but for where ``schemas.json`` lies.
"""
