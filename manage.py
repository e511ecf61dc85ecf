#!/usr/bin/env python
"""Django's command line for Rollcall: ``manage.py COMMAND``."""

import os
import sys


def main() -> None:
    """Run one command; a wrong setting is a sentence, not a traceback."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "coordinator_site.settings")
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        settings.INSTALLED_APPS  # noqa: B018  (reading one setting reads them all)
    except ImproperlyConfigured as refusal:
        sys.exit(str(refusal))
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
