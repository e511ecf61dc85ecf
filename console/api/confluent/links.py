"""URLs of resources, and Confluent's resource names.

A path is a list of words and ids, in the form in which they are in a URL.
"""

from rest_framework.request import Request

from console.api.paths import encoded

ROOT = "/kafka/v3"

Words = tuple[str | int, ...]


def url(request: Request, *words: str | int) -> str:
    """The absolute URL of a path below /kafka/v3. Django would interpret the id ".." as a
    parent."""
    path = "/".join(encoded(str(word)) for word in words)
    below = f"{request.META.get('SCRIPT_NAME', '')}{ROOT}"
    return f"{request.scheme}://{request.get_host()}{below}/{path}"


def related(request: Request, *words: str | int) -> dict[str, str]:
    """A link to another resource."""
    return {"related": url(request, *words)}


def resource_name(cluster_id: str, *words: str) -> str:
    """``crn:///kafka=CLUSTER/consumer-group=GROUP/...``; ``words`` follow the cluster."""
    return "/".join((f"crn:///kafka={cluster_id}", *words))
