"""``manage.py metrics``: writes the files that are generated from the tables of series and
rules."""

from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand

from console.metrics import alerts, dashboard, page

PAGE: Final = settings.BASE_DIR / "docs" / "metrics.md"
ALERTS: Final = settings.BASE_DIR / "deploy" / "prometheus" / "rollcall.yml"
DASHBOARD: Final = settings.BASE_DIR / "deploy" / "grafana" / "rollcall.json"


class Command(BaseCommand):
    """Writes files of the checkout; the diff is the review."""

    help = "Regenerate the tables of docs/metrics.md, the alerts and the dashboard."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        """Write each file that has changed."""
        for path, text in contents().items():
            if not path.exists() or path.read_text() != text:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
                self.stdout.write(f"{path.relative_to(settings.BASE_DIR)} is new")


def contents() -> dict[Any, str]:
    """The content of each file."""
    return {
        PAGE: page.renewed(PAGE.read_text()),
        ALERTS: alerts.text(),
        DASHBOARD: dashboard.text(),
    }
