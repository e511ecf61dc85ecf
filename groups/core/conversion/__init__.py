"""Conversion of a live group from one protocol to the other (KIP-848, online migration)."""
