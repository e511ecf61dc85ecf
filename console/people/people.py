"""Logins to the admin: with a password and maybe a second factor, or through a provider.

A provider's user is identified by issuer and subject, never by a name that users may choose; the
roles come from the configured claim, and are set at each login.
"""

import logging
from collections.abc import Mapping
from typing import Any, Final

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import Group as Role
from django.contrib.auth.models import Permission
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.http import HttpRequest

from console.people import audit, second_factor
from console.people.openid import LoginRefused, issuer
from groups.models import OpenIdUser

logger = logging.getLogger(__name__)

NAME_CLAIM: Final = "WEB_OIDC_USERNAME_CLAIM"
ROLES_CLAIM, ROLES = "WEB_OIDC_ROLES_CLAIM", "WEB_OIDC_ROLES"

BACKEND: Final = "console.people.people.Passwords"

RIGHTS: Final = "_perm_cache"
"""Where Django keeps a user's rights while a request lasts."""

OPENID: Final = "openid"
"""The login method in the audit."""

SUBJECT_MAX: Final = 255
"""Maximum length in characters: OpenID Connect Core, 2."""


class Passwords(ModelBackend):
    """Django's backend, which also requires the code of users with a second factor, and reads all
    rights at once."""

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        one_time_password: str = "",
        **more: Any,
    ) -> Any:
        """The user, or None if the password or the code is wrong."""
        user = super().authenticate(request, username, password, **more)
        way = None if user is None else second_factor.passed(user, one_time_password)
        if way is None:
            return None
        setattr(user, audit.WAY, way)
        return user

    def get_all_permissions(self, user_obj: Any, obj: Any = None) -> set[str]:
        """The user's own and those of its roles. One statement a request, where Django asks for
        each kind."""
        if not user_obj.is_active or user_obj.is_superuser or obj is not None:
            return super().get_all_permissions(user_obj, obj)
        if not hasattr(user_obj, RIGHTS):
            own, roles = user_obj.user_permissions, Permission.objects.filter(group__user=user_obj)
            either = Q(pk__in=own.values("pk")) | Q(pk__in=roles.values("pk"))
            found = Permission.objects.filter(either).order_by()
            pairs = found.values_list("content_type__app_label", "codename")
            setattr(user_obj, RIGHTS, {f"{label}.{name}" for label, name in pairs})
        rights: set[str] = getattr(user_obj, RIGHTS)
        return rights


def name_of(claims: Mapping[str, Any]) -> str:
    """The user's name at the provider, for the audit; "" if it is no text."""
    name = claims.get(getattr(settings, NAME_CLAIM))
    return name if isinstance(name, str) else ""


def actor_of(claims: Mapping[str, Any]) -> str:
    """The name of the user who logs in, for the audit: the name here, which may differ from the
    provider's; for a new user the provider's."""
    subject = claims.get("sub")
    user = _existing_user(subject) if isinstance(subject, str) and "\0" not in subject else None
    return name_of(claims) if user is None else str(user.get_username())


def of_claims(claims: Mapping[str, Any]) -> Any:
    """The user of the claims, with current roles; created at the first login. Raises
    ``LoginRefused``, also without a role: existing roles are removed then."""
    subject = claims["sub"]
    if not isinstance(subject, str) or not 0 < len(subject) <= SUBJECT_MAX or "\0" in subject:
        raise LoginRefused("The provider's answer was refused.", "sub")
    roles = _roles(claims)
    try:
        with transaction.atomic():
            user = _existing_user(subject) or (_new(subject, name_of(claims)) if roles else None)
            if user is not None:
                _give(user, roles)
    except IntegrityError as error:
        raise LoginRefused("Another login of yours was quicker. Try again.") from error
    if not roles or user is None:
        raise LoginRefused("None of your groups has a role here.")
    if not user.is_active:
        raise LoginRefused("This user is inactive.")
    setattr(user, audit.WAY, OPENID)
    return user


def _roles(claims: Mapping[str, Any]) -> list[Any]:
    """The roles of the groups in the claim."""
    claim = claims.get(getattr(settings, ROLES_CLAIM))
    groups = claim if isinstance(claim, list) else [claim]
    names = set()
    for pair in getattr(settings, ROLES).split(";"):
        group, _, role = pair.rpartition("=")
        if group.strip() in groups:
            names.add(role.strip())
    roles = list(Role.objects.filter(name__in=names))
    for missing in sorted(names - {role.name for role in roles}):
        logger.error("ROLLCALL_WEB_OIDC_ROLES (web.oidc.roles): there is no role %r", missing)
    return roles


def _existing_user(subject: str) -> Any:
    """A user who has logged in before."""
    rows = OpenIdUser.objects.select_related("user").filter(issuer=issuer(), subject=subject)
    row = rows.first()
    return None if row is None else row.user


def _new(subject: str, name: str) -> Any:
    """A user without a password. An existing user of the same name is someone else."""
    people = get_user_model()
    name = people.normalize_username(name)  # before it is compared: "ＡNN" is stored as "ANN"
    try:
        people._meta.get_field("username").clean(name, None)
    except ValidationError as error:
        raise LoginRefused("The provider gave no name that a user may have.") from error
    if people.objects.filter(username__iexact=name).exists():
        raise LoginRefused("There is another user of this name here.", f"{name!r} is another user")
    user = people.objects.create_user(name)
    OpenIdUser.objects.create(user=user, issuer=issuer(), subject=subject)
    return user


def _give(user: Any, roles: list[Any]) -> None:
    """Set exactly these roles, and no other rights; writes nothing if they are unchanged."""
    is_staff = bool(roles)
    if user.is_staff != is_staff or user.is_superuser:
        user.is_staff, user.is_superuser = is_staff, False
        user.save(update_fields=["is_staff", "is_superuser"])
    user.groups.set(roles)
    user.user_permissions.clear()
