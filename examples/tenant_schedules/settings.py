"""The settings of the project: an application, and where Rollcall is."""

import os

SECRET_KEY = "an example has none"
INSTALLED_APPS = ["rollcall.contrib.django", "tenants"]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": os.environ.get("EXAMPLE_DATABASE", "tenants.sqlite3"),
        "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE"},
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
ROLLCALL = {
    "bootstrap": os.environ.get("EXAMPLE_BOOTSTRAP", "127.0.0.1:9092"),
    "group": "schedules",
}
