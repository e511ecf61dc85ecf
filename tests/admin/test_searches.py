"""What may be looked for in a list: a thousand words would keep PostgreSQL for seconds."""

import pytest
from django.contrib import admin

import coordinator_site.urls  # noqa: F401  (whose import registers all pages)
from groups.admin.base import SEARCH_LENGTH_MAX, SEARCH_WORDS_MAX, TOO_LONG
from tests.admin.visitors import superuser, text

pytestmark = pytest.mark.django_db

LISTS = [
    f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
    for model, site in admin.site._registry.items()
    if site.search_fields
]


@pytest.mark.parametrize("path", LISTS)
def test_the_number_of_search_words_is_limited(path: str) -> None:
    visitor = superuser()
    few = text(visitor.get(path, {"q": "a " * SEARCH_WORDS_MAX}))
    many = text(visitor.get(path, {"q": "a " * (SEARCH_WORDS_MAX + 1)}))
    long = text(visitor.get(path, {"q": "a" * (SEARCH_LENGTH_MAX + 1)}))

    assert [TOO_LONG in page for page in (few, many, long)] == [False, True, True]
