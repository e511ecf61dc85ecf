"""Tests of the proof itself: it runs, it repeats, and it catches what it must."""
