"""The settings of REST: django-rest-framework's and drf-spectacular's, and nothing else."""

from typing import Any

REST_FRAMEWORK: dict[str, Any] = {}

SPECTACULAR_SETTINGS: dict[str, Any] = {}
