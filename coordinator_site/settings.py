"""Django's settings for Rollcall: configuration only, each with its reason.

What comes from the environment is named ``ROLLCALL_*``. Kafka-named settings are a table
of their own, ``kafka_settings``; each becomes a setting here.
"""

import os
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from csp import constants as csp
from django.core.exceptions import ImproperlyConfigured

from coordinator_site import (
    admin_theme,
    kafka_settings,
    login_settings,
    own_settings,
    periodic,
    rest,
    secret_files,
)
from coordinator_site.setting_kinds import SettingError
from rollcall import __version__

VERSION = __version__
"""Not the installed distribution's: in the image none is installed."""

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(os.environ.get("ROLLCALL_DATA_DIR") or BASE_DIR / ".data").absolute()

try:
    KAFKA_SETTINGS = kafka_settings.read(os.environ)
    ENVIRON = secret_files.read(os.environ)
    login_settings.check(KAFKA_SETTINGS)
except (SettingError, secret_files.SecretError) as refusal:
    raise ImproperlyConfigured(str(refusal)) from None
globals().update(KAFKA_SETTINGS)
BROKER_CONFIGS = kafka_settings.described(KAFKA_SETTINGS)

# What differs between processes: secrets, and their database role.
OWN = own_settings.read(ENVIRON, DATA_DIR, KAFKA_SETTINGS)
globals().update(OWN)
SECRET_KEY: str = OWN["SECRET_KEY"]
API_TOKEN: str = OWN["API_TOKEN"]
OIDC_CLIENT_SECRET: str = OWN["OIDC_CLIENT_SECRET"]
METRICS_TOKEN: str = OWN["METRICS_TOKEN"]
BROKER_URL: str = OWN["BROKER_URL"]
DATABASES: dict[str, Any] = OWN["DATABASES"]
DATABASE_ROLE: str = OWN["DATABASE_ROLE"]
DATABASE_ROLES: bool = OWN["DATABASE_ROLES"]
DATABASE_LOGINS: Mapping[str, str] = OWN["DATABASE_LOGINS"]
ANALYSIS_DATABASE_URL: str = OWN["ANALYSIS_DATABASE_URL"]

# -- Access ------------------------------------------------------------------------------

DEBUG = False

LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"]
"""Always allowed: the launcher itself checks on loopback whether the web process serves."""

ALLOWED_HOSTS = [
    *LOOPBACK_NAMES,
    *(name for name in os.environ.get("ROLLCALL_ALLOWED_HOSTS", "").split(",") if name),
]

BEHIND_TLS = os.environ.get("ROLLCALL_WEB_TLS", "").lower() == "true"
"""Whether a proxy terminates TLS in front of the web process. On plain loopback http the browser
would never return a secure cookie, and no login would work."""

SESSION_COOKIE_SECURE = BEHIND_TLS
CSRF_COOKIE_SECURE = BEHIND_TLS
SESSION_COOKIE_NAME = "rollcall_session"
CSRF_FAILURE_VIEW = "web.errors.stale_form"
CSRF_COOKIE_NAME = "rollcall_csrf"  # cookies ignore ports: avoid other programs' names
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
X_FRAME_OPTIONS = "DENY"

WEB_PROXIES = frozenset(
    filter(
        None, os.environ.get("ROLLCALL_WEB_PROXIES", "127.0.0.1,::1").replace(" ", "").split(",")
    )
)
"""The addresses of that proxy, whose X-Forwarded-Proto and -For are trusted."""

SECURE_SSL_REDIRECT = BEHIND_TLS
SECURE_REDIRECT_EXEMPT = ["^livez$", "^readyz$"]  # requested on loopback, by the launcher too
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if BEHIND_TLS else 0
# W005, W021: subdomains, and browsers' preload lists, are for the domain's owner to decide on.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
if BEHIND_TLS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    CSRF_TRUSTED_ORIGINS = [f"https://{name}" for name in ALLOWED_HOSTS]

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [csp.SELF],
        # Alpine, which unfold's pages use, compiles expressions in attributes.
        "script-src": [csp.SELF, csp.UNSAFE_EVAL],
        "style-src": [csp.SELF, csp.UNSAFE_INLINE],
        "img-src": [csp.SELF, "data:"],
        "object-src": [csp.NONE],
        "base-uri": [csp.NONE],
        "form-action": [csp.SELF],
        "frame-ancestors": [csp.NONE],
    }
}
"""Everything is loaded from this host, and no page has an inline script: a ``<script>`` or a
handler in a text that a template did not escape does not run (an attribute of Alpine's would)."""

SESSION_COOKIE_AGE = 8 * 3600  # seconds: a working day; then users log in again

PASSWORD_HASHERS = [
    "coordinator_site.passwords.Argon2",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",  # older hashes; replaced at the next login
]

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",  # first: locked-out logins stop here
    "console.people.people.Passwords",  # Django's own, and the second factor if the user has one
]
OTP_TOTP_ISSUER = "Rollcall"  # shown beside the code, in an authenticator
# A user at an address, not a user anywhere: nobody can lock others out of their own account.
AXES_SENSITIVE_PARAMETERS = ["username", "ip_address", "one_time_password", "code"]
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_CLIENT_IP_CALLABLE = "web.forwarded.counted_address"
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_RESET_ON_SUCCESS = True
AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False

LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "admin:index"

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

# -- What is installed ---------------------------------------------------------------------

# "daphne" is left out on purpose: it is needed for `runserver` only, and importing its server
INSTALLED_APPS = [
    "unfold.apps.BasicAppConfig",  # before the admin, whose templates it replaces
    "coordinator_site.admin_site.Admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "axes",
    "channels",
    "csp",
    "django_celery_beat",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_otp.plugins.otp_static",
    "django_otp.plugins.otp_totp",
    "groups",
    "console",
    "protocol",
]

MIDDLEWARE = [
    "web.forwarded.Forwarded",  # first: the others use its result
    "web.tracing.traced",
    "console.api.events.view.without_connection",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "console.api.paths.as_sent",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "console.people.audited.Audited",  # behind authentication: it names the user
    "console.admin.gate.Gate",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",  # last: it makes the response to locked-out users
]

ROOT_URLCONF = "coordinator_site.urls"
ASGI_APPLICATION = "coordinator_site.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

STATIC_URL = "static/"
WHITENOISE_USE_FINDERS = True  # directly from the applications: no collectstatic before a start
WHITENOISE_AUTOREFRESH = False

# -- Where the rows are ---------------------------------------------------------------------

# For tests, whose data need not survive: a server without fsync is enough.
DATABASE_MAY_BE_UNSAFE = os.environ.get("ROLLCALL_DATABASE_MAY_BE_UNSAFE", "").lower() == "on"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# -- REST and Celery ----------------------------------------------------------------------

UNFOLD = admin_theme.UNFOLD
REST_FRAMEWORK = rest.REST_FRAMEWORK
SPECTACULAR_SETTINGS = rest.SPECTACULAR_SETTINGS
CELERY_TASK_DEFAULT_QUEUE = periodic.QUEUE
# No task here is acknowledged late, so this cancels none; unset, Celery warns at each outage.
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True

# -- Language and times ------------------------------------------------------------------

LANGUAGE_CODE = "en-gb"
USE_I18N = False
FORMAT_MODULE_PATH = ["coordinator_site.formats"]  # times as journals write them
TIME_ZONE = "UTC"
USE_TZ = True

# To standard error, one line each; the launcher adds the name of the process.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": "web.logs.formatter", "form": KAFKA_SETTINGS["LOG_FORMAT"]}},
    "filters": {"outages": {"()": "web.outages.Outages"}},
    "handlers": {
        "stderr": {
            "class": "web.log_limits.LimitedHandler",
            "formatter": "line",
            "filters": ["outages"],
        }
    },
    "root": {"handlers": ["stderr"], "level": "INFO"},
    "loggers": {
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        "daphne": {"level": "WARNING"},  # at INFO it logs its own internals
    },
}
