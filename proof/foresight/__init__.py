"""Predicted and seen: operations on real groups of each kind, and what had been said about them."""
