"""The settings of REST: django-rest-framework's and drf-spectacular's, and nothing else."""

from typing import Any

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "console.api.authentication.BearerAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["console.api.permissions.Allowed"],
    "DEFAULT_THROTTLE_CLASSES": ["console.api.throttles.Throttle"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["console.api.parsers.StrictJSONParser"],
    "URL_FORMAT_OVERRIDE": None,  # ?format= is not a parameter of this API
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "console.api.problems.handle",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}

SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Rollcall",
    "DESCRIPTION": "Consumer groups: their owners, the causes of rebalances, and operations on"
    " groups.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVERS": [{"url": "/", "description": "The installation that serves this description."}],
    # The request body of PATCH is described as it is; no field may be left out.
    "COMPONENT_SPLIT_PATCH": False,
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["console.api.permissions.Allowed"],
    # From this process, not from somewhere else: it works without a network.
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    # The page would otherwise send the description to a validator on the Internet.
    "SWAGGER_UI_SETTINGS": {"deepLinking": True, "validatorUrl": None},
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "console.api.description.with_problems",
        "console.api.description.strict",
        "console.api.description.with_files",
        "console.api.description.with_preconditions",
        "console.api.description.with_summaries",
        "console.api.description.with_twins",
    ],
}
