"""Where a webhook may not lead, however the address is written."""

import socket
import threading
from ipaddress import ip_address
from typing import Any

import pytest

from console.webhooks import addresses
from console.webhooks.addresses import EndpointRefused, acceptable, checked, is_public, resolved
from console.webhooks.settings import WebhookSettings

OURS = (
    *("127.0.0.1", "127.255.0.9", "10.0.0.1", "172.16.5.4", "192.168.1.1", "169.254.169.254"),
    *("0.0.0.0", "100.64.0.1", "192.0.0.8", "198.18.0.1", "224.0.0.1", "240.0.0.1"),
    *("255.255.255.255", "::", "::1", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1", "fec0::1"),
    *("::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:a00:1", "64:ff9b::7f00:1"),
    *("64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2002:7f00:1::", "2002:a00:1::1", "2001:0:7f00:1::1"),
    *("2001:db8::1", "::127.0.0.1", "100::1"),
)
EVERYBODYS = (
    "1.1.1.1",
    "93.184.216.34",
    "2606:4700:4700::1111",
    "::ffff:1.1.1.1",
    "64:ff9b::101:101",
)

ODD = (
    *("", "x", "ftp://a.example/", "https://", "https:///x", "//a.example", "file:///etc/passwd"),
    *("https://a.example:0/", "https://a.example:99999/", "https://u:p@a.example/", "https://a b/"),
    *("https://a.example/#x", "https://a.example/\r\nX: y", "https://ä.example/", "javascript:1"),
    *("https://[::1/", "https://" + "a" * 2_000),
)


@pytest.mark.parametrize("address", OURS)
def test_a_non_public_address_is_refused_for_a_webhook(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", EVERYBODYS)
def test_a_public_address_is_accepted(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize("url", ODD)
def test_an_invalid_url_is_refused(url: str) -> None:
    with pytest.raises(EndpointRefused, match="URL"):
        checked(url)


ALL = "https://127.0.0.1/", "https://localhost/", "https://0x7f000001/", "https://2130706433/"


@pytest.mark.parametrize("url", [*ALL, "https://[::ffff:7f00:1]/", "https://127.1/"])
def test_other_spellings_of_this_machine_are_refused(url: str) -> None:
    with pytest.raises(EndpointRefused, match=r"address|resolved"):
        resolved(url, WebhookSettings.from_django(), 5)
    with pytest.raises(EndpointRefused, match="no address that may be used"):
        acceptable(url, WebhookSettings.from_django())


def test_an_unusable_url_is_refused_at_registration(settings: Any) -> None:
    """A name is not resolved for that: it may lead elsewhere tomorrow."""
    configured = WebhookSettings.from_django()
    for url in ("https://1.1.1.1/", "https://a.example/"):
        assert acceptable(url, configured) == url
    for url in ("http://1.1.1.1/", "http://a.example/", "https://x.localhost/"):
        with pytest.raises(EndpointRefused, match="no address that may be used"):
            acceptable(url, configured)
    for network in ("127.0.0.0/8", "::1/128"):
        settings.WEBHOOKS_NETWORKS_ALLOW = network
        for url in ("http://localhost:8080/", "http://a.example/"):
            assert acceptable(url, WebhookSettings.from_django()) == url


def test_a_name_with_public_and_private_addresses_uses_a_public_one(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    """The connection uses the resolved address that was checked: there is no second look-up."""
    asked: list[str] = []

    def both(host: str, port: int, **_: Any) -> list[Any]:
        asked.append(host)
        return [(0, 0, 0, "", (each, port)) for each in ("169.254.169.254", "1.1.1.1")]

    monkeypatch.setattr(socket, "getaddrinfo", both)
    assert resolved("https://a.example/", WebhookSettings.from_django(), 5) == ("1.1.1.1", 443)
    with pytest.raises(EndpointRefused, match="TLS"):
        resolved("http://a.example/", WebhookSettings.from_django(), 5)
    settings.WEBHOOKS_NETWORKS_ALLOW = "169.254.0.0/16, 10.0.0.0/8"
    found = resolved("http://a.example:8080/", WebhookSettings.from_django(), 5)
    assert found == ("169.254.169.254", 8080) and len(asked) == 3


def test_a_slow_name_resolution_is_given_up(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    """And so is one for which no resolver is free: neither has a limit of its own."""
    settings.WEBHOOKS_NETWORKS_ALLOW = "127.0.0.0/8"
    answers = threading.Event()

    def never(_host: str, port: int, **_: Any) -> list[Any]:
        answers.wait()
        return [(0, 0, 0, "", ("127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", never)
    monkeypatch.setattr(addresses, "_resolvers", threading.BoundedSemaphore(1))
    configured = WebhookSettings.from_django()
    try:
        with pytest.raises(EndpointRefused, match="not resolved in time"):
            resolved("http://a.example/", configured, 0.01)
        with pytest.raises(EndpointRefused, match="too many others"):
            resolved("http://b.example/", configured, 0.01)
    finally:
        answers.set()
    assert resolved("http://b.example/", configured, 5) == ("127.0.0.1", 80)
