"""Which listeners a node may have, and the addresses that their clients get."""

from dataclasses import replace

import pytest

from groups.cluster.view import Endpoint, NodeAddress
from launcher.plan import moved
from protocol.authentication import principals
from protocol.connection import listeners
from protocol.connection.listeners import Listener, ListenerError, ListenerSettings, Security

MAP = "IN:PLAINTEXT,OUT:SSL,SASL:SASL_SSL,BARE:SASL_PLAINTEXT"
WANTED = ListenerSettings("IN://127.0.0.1:9092", "", MAP, has_certificate=True)


def test_listeners_are_parsed_as_by_kafka() -> None:
    found = listeners.read(
        replace(
            WANTED,
            listeners="IN://127.0.0.1:9092, out://[::1]:9093,SASL://0.0.0.0:0",
            advertised="OUT://broker.example:19093,SASL://broker.example:9094",
        )
    )
    assert found == (
        Listener("IN", "127.0.0.1", 9092, Security.PLAINTEXT, "127.0.0.1", 9092),
        Listener("OUT", "::1", 9093, Security.SSL, "broker.example", 19093),
        Listener("SASL", "0.0.0.0", 0, Security.SASL_SSL, "broker.example", 9094),
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("IN://127.0.0.1", "a list of NAME://host:port"),
        ("IN://:9092", "a list of NAME://host:port"),
        ("IN://127.0.0.1:99999", "a list of NAME://host:port"),
        ("DRAFT://127.0.0.1:9092", "a list of NAME://host:port"),
        ("IN://127.0.0.1:1,in://127.0.0.1:2", "the same name twice"),
        ("IN://127.0.0.1:1,OUT://127.0.0.1:1", "the same address twice"),
        ("WHAT://127.0.0.1:1", "does not have WHAT"),
        ("SASL://0.0.0.0:9092", "clients of SASL need an address"),
    ],
)
def test_an_invalid_listener_is_refused(text: str, why: str) -> None:
    with pytest.raises(ListenerError, match=why):
        listeners.read(replace(WANTED, listeners=text))


def test_advertised_addresses_belong_to_listeners() -> None:
    with pytest.raises(ListenerError, match="names OUT, which is no listener"):
        listeners.read(replace(WANTED, advertised="OUT://broker.example:1"))
    with pytest.raises(ListenerError, match="is not a host that clients can connect to"):
        listeners.read(replace(WANTED, advertised="IN://a..b:1"))


@pytest.mark.parametrize("text", ["IN:", "IN", "IN:TLS"])
def test_the_map_has_kafkas_protocols(text: str) -> None:
    with pytest.raises(ListenerError, match="a list of NAME:PROTOCOL"):
        listeners.read(replace(WANTED, security_map=text))


def test_tls_needs_a_certificate() -> None:
    with pytest.raises(ListenerError, match=r"ssl\.keystore\.location"):
        listeners.read(replace(WANTED, listeners="OUT://127.0.0.1:1", has_certificate=False))


@pytest.mark.parametrize(
    ("name", "certificates", "allowed", "is_welcome"),
    [
        ("IN", True, False, False),
        ("OUT", False, False, False),
        ("OUT", True, False, True),
        ("BARE", False, False, False),
        ("SASL", False, False, True),
        ("IN", False, True, True),
    ],
)
def test_a_non_loopback_listener_needs_tls_and_authentication(
    name: str, certificates: bool, allowed: bool, is_welcome: bool
) -> None:
    wanted = replace(
        WANTED,
        listeners=f"{name}://0.0.0.0:9092",
        advertised=f"{name}://broker.example:9092",
        needs_client_certificate=certificates,
        may_be_insecure=allowed,
    )
    if is_welcome:
        assert listeners.read(wanted)
        return
    with pytest.raises(ListenerError, match="needs TLS and authentication"):
        listeners.read(wanted)


def test_further_nodes_listen_at_consecutive_ports() -> None:
    assert moved("A://127.0.0.1:9092,B://[::1]:0, C://h:9094", 2) == (
        "A://127.0.0.1:9094,B://[::1]:0, C://h:9096"
    )


def test_a_node_is_advertised_at_the_listener_of_the_request() -> None:
    endpoints = (
        Endpoint("IN", "10.0.0.1", 1),
        Endpoint("OUT", "::1", 2),
        Endpoint("DRAFT", "d", 3),
    )
    broker = NodeAddress(
        0, "10.0.0.1", 1, 3, tuple(Endpoint.parse(str(each)) for each in endpoints)
    )
    assert [broker.at("IN"), broker.at("OUT"), broker.draft] == list(endpoints)
    assert broker.at("ELSEWHERE") is None


def test_an_endpoint_in_an_unknown_format_hides_no_other() -> None:
    texts = ["SSL://a:1", "", "SSL://b:", "quic", "INSIDE://[::1]:2"]
    assert list(Endpoint.readable(texts)) == [
        Endpoint("SSL", "a", 1),
        Endpoint("INSIDE", "::1", 2),
    ]


def test_a_node_of_the_previous_version_is_found_at_its_single_address() -> None:
    broker = NodeAddress(0, "h", 1, 2)
    assert broker.at("ANY") == Endpoint("ANY", "h", 1)
    assert broker.draft == Endpoint("DRAFT", "h", 2)
    assert broker._replace(draft_port=0).draft is None


SUBJECT = ((("countryName", "NL"),), (("organizationName", "A, B"),), (("commonName", "Ann"),))


@pytest.mark.parametrize(
    ("rules", "principal"),
    [
        ("", r"User:CN=Ann,O=A\, B,C=NL"),
        ("DEFAULT", r"User:CN=Ann,O=A\, B,C=NL"),
        ("RULE:^CN=(.*?),.*$/$1/", "User:Ann"),
        ("RULE:^CN=(.*?),.*$/$1/L", "User:ann"),
        ("RULE:^CN=(.*?),.*$/$1@x/U, DEFAULT", "User:ANN@X"),
        (r"RULE:^CN=(.*?),.*$/corp\/$1/", "User:corp/Ann"),
        (r"RULE:^CN=(.*?),.*$/corp\\$1/", "User:corp\\Ann"),
        (r"RULE:^CN=(.*?),.*$/\d-\$1/", "User:d-$1"),
        ("RULE:^OU=.*$/nobody/,RULE:.*C=(..)/$1/L", "User:nl"),
        ("RULE:^OU=(.*)$/$1/", None),
    ],
)
def test_a_principal_is_derived_from_a_certificate(rules: str, principal: str | None) -> None:
    assert principals.principal(SUBJECT, principals.read(rules)) == principal


@pytest.mark.parametrize(
    ("name", "rules"),
    [("Ann\0", ""), ("\U0001f600" * 256, ""), ("a" * 600, "RULE:CN=(.*)/$1$1/"), ("a" * 1022, "")],
    ids=["nul", "bytes", "rule", "long"],
)
def test_names_that_cannot_be_stored_give_no_principal(name: str, rules: str) -> None:
    """PostgreSQL's texts hold no NUL, its indexes 2,704 bytes."""
    assert principals.principal(((("commonName", name),),), principals.read(rules)) is None
    assert principals.principal(((("commonName", "a" * 1021),),), principals.read("")) is not None


@pytest.mark.parametrize("rules", ["RULE:a", "RULE:(/x/", "RULE:a/$1/", "DEFAULT,x"])
def test_invalid_mapping_rules_are_refused(rules: str) -> None:
    with pytest.raises(principals.RuleError):
        principals.read(rules)
