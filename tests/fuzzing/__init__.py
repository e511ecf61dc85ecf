"""Bytes that a client sends, found by coverage (atheris, libFuzzer): ``make fuzz``."""
