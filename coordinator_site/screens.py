"""How the admin looks: django-unfold's settings, and nothing else."""

from typing import Any

UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "Rollcall",
    "SITE_HEADER": "Rollcall",
    "SITE_URL": None,
    "SHOW_HISTORY": False,
    "SHOW_VIEW_ON_SITE": False,
}
