"""The proof: a checker of histories, a simulator, and chaos among real processes.

Nothing that serves imports this package.
"""
