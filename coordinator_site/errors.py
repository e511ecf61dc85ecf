"""What becomes of a request that failed: 503 where the database could not be asked, else 500.

Views of REST tell of it in their own form (``groups.api.problems``). This is for whatever fails
around a view, and for the admin's pages.
"""

import sys
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.views import defaults

from coordinator_site.outages import is_outage
from groups.api.paths import PREFIX
from groups.api.problems import problem

RETRY_AFTER_S = "1"
SENTENCE = "The database cannot be asked just now."


def failed(request: HttpRequest) -> HttpResponse:
    """Django's ``handler500``: called while the error is being handled."""
    if not is_outage(sys.exc_info()[1]):
        return defaults.server_error(request)
    status = HTTPStatus.SERVICE_UNAVAILABLE
    answer: HttpResponse
    if request.path_info.startswith(PREFIX):
        answer = problem(request, status, "unavailable", SENTENCE)
    else:
        answer = HttpResponse(SENTENCE + "\n", status=status, content_type="text/plain")
    answer["Retry-After"] = RETRY_AFTER_S
    return answer
