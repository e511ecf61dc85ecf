"""People who visit the admin in tests: a logged-in test client for each role."""

from typing import Any

from django.contrib.auth.models import Group as Role
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client


def person(name: str = "vera", *roles: str, **over: Any) -> User:
    """A member of staff with these roles."""
    user = User.objects.create_user(name, password="a password", is_staff=True, **over)
    user.groups.set(Role.objects.filter(name__in=roles))
    return user


def visitor(*roles: str, name: str = "vera") -> Client:
    """A client of a user with these roles."""
    client = Client()
    client.force_login(person(name, *roles))
    return client


def superuser(name: str = "root") -> Client:
    """A client of a user with every right."""
    client = Client()
    client.force_login(User.objects.create_superuser(name))
    return client


def text(response: object) -> str:
    """The page as text."""
    assert isinstance(response, HttpResponse)
    return response.content.decode()
