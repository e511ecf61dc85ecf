"""The launcher: an embedded PostgreSQL and a supervisor of Rollcall's processes.

``python -m launcher`` serves everything in the foreground
(docs/architecture.md, *Processes*).
Nothing in this package imports Django or knows what a group is: it starts programs,
watches them, and stops them.
"""
