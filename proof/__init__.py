"""Proof that the promises hold: a simulator, a model, saboteurs, and a checker of histories.

Nothing here is installed or imported by the product; it drives the product's own code.
"""
