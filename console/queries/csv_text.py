"""Cells of CSV that are safe to open in a spreadsheet."""

import json
from typing import Any, Final

FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Prefixes of cells that a spreadsheet would execute; some also accept the full-width forms."""


def cell(value: Any) -> str:
    """A value as text that no spreadsheet executes; None is an empty cell, and structured values
    are JSON."""
    if value is None:
        return ""
    if isinstance(value, bool | dict | list):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int | float):
        return str(value)
    text = value.isoformat() if hasattr(value, "isoformat") else str(value)
    return f"'{text}" if text.startswith(FORMULA) else text
