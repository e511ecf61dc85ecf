"""Cells of CSV as a spreadsheet may open them."""

import json
from typing import Any, Final

FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""How a cell begins that a spreadsheet would run; some take the wide forms for the others."""


def cell(value: Any) -> str:
    """A value as text, which no spreadsheet takes for a formula; nothing is an empty cell, and what
    has parts is JSON."""
    if value is None:
        return ""
    if isinstance(value, bool | dict | list):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int | float):
        return str(value)
    text = value.isoformat() if hasattr(value, "isoformat") else str(value)
    return f"'{text}" if text.startswith(FORMULA) else text
