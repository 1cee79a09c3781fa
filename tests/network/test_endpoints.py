"""Listeners: what is bound, what is told to others, and what is refused with what to set."""

import pytest

from snakka.network.endpoints import (
    Endpoint,
    Listeners,
    listen_shorthand,
    parse_address,
    parse_host_counts,
    parse_listeners,
)
from snakka.network.options import OPTIONS
from snakka.options.option import OptionError, declare
from snakka.options.option_set import ConfigSource, Layer, OptionSet

DECLARED = declare(OPTIONS + "process.roles list required +{broker,controller} high\n    Roles.\n")
COMBINED = {
    "process.roles": "broker,controller",
    "controller.listener.names": "CONTROLLER",
    "listeners": "PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093",
}


def listeners(**changes: str) -> Listeners:
    texts = COMBINED | {name.replace("_", "."): text for name, text in changes.items()}
    options = OptionSet(DECLARED, [Layer(ConfigSource.STATIC_BROKER_CONFIG, texts)])
    return parse_listeners(options, own_host_name=lambda: "this.machine")


def test_the_usual_node_has_a_client_s_and_a_controller_s_listener() -> None:
    found = listeners()
    client = Endpoint("PLAINTEXT", "localhost", 9092, "PLAINTEXT", False)
    controller = Endpoint("CONTROLLER", "localhost", 9093, "PLAINTEXT", True)
    assert found == Listeners((client, controller), (client,), (controller,), ("CONTROLLER",), "PLAINTEXT")


def test_an_empty_host_is_bound_everywhere_and_advertised_by_name() -> None:
    found = listeners(listeners="PLAINTEXT://:9092,CONTROLLER://:9093")
    assert [endpoint.host for endpoint in found.bound] == ["", ""]
    assert found.advertised[0].host == "this.machine"
    assert found.advertised_controllers[0].host == "this.machine"


def test_advertised_addresses_replace_bound_ones() -> None:
    found = listeners(
        listeners="PLAINTEXT://0.0.0.0:9092,CONTROLLER://0.0.0.0:9093",
        advertised_listeners="PLAINTEXT://broker.example:19092",
    )
    assert [str(endpoint) for endpoint in found.advertised] == ["PLAINTEXT://broker.example:19092"]
    assert [str(endpoint) for endpoint in found.advertised_controllers] == ["CONTROLLER://this.machine:9093"]


def test_a_controller_s_address_may_be_advertised_but_not_to_clients() -> None:
    found = listeners(advertised_listeners="PLAINTEXT://a:1,CONTROLLER://b:2")
    assert [endpoint.name for endpoint in found.advertised] == ["PLAINTEXT"]
    assert str(found.advertised_controllers[0]) == "CONTROLLER://b:2"


def test_names_are_upper_case_and_may_be_anything_that_is_mapped() -> None:
    found = listeners(
        listeners="inner://10.0.0.1:9092,outer://[fe80::1]:9094,CONTROLLER://localhost:9093",
        listener_security_protocol_map="INNER:PLAINTEXT,outer:plaintext,CONTROLLER:PLAINTEXT",
        inter_broker_listener_name="inner",
    )
    assert [endpoint.name for endpoint in found.advertised] == ["INNER", "OUTER"]
    assert found.inter_broker_name == "INNER"
    assert found.advertised[1].host == "fe80::1"
    assert str(found.advertised[1]) == "OUTER://[fe80::1]:9094"


def test_one_port_may_serve_both_ip_versions() -> None:
    found = listeners(
        listeners="PLAINTEXT://127.0.0.1:9092,SIX://[::1]:9092,CONTROLLER://:9093",
        listener_security_protocol_map="PLAINTEXT:PLAINTEXT,SIX:PLAINTEXT,CONTROLLER:PLAINTEXT",
    )
    assert len(found.bound) == 3


def test_port_zero_is_filled_in_after_binding() -> None:
    found = listeners(
        listeners="PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:0",
        advertised_listeners="PLAINTEXT://outside:0",
    ).with_ports({"PLAINTEXT": 40001, "CONTROLLER": 40002})
    assert [endpoint.port for endpoint in found.bound] == [40001, 40002]
    assert str(found.advertised[0]) == "PLAINTEXT://outside:40001"
    assert found.advertised_controllers[0].port == 40002


def test_a_broker_alone_and_a_controller_alone() -> None:
    broker = listeners(process_roles="broker", listeners="PLAINTEXT://h:9092")
    assert broker.advertised_controllers == ()
    assert broker.controller_names == ("CONTROLLER",)
    controller = listeners(process_roles="controller", listeners="CONTROLLER://h:9093")
    assert controller.advertised == ()
    assert controller.inter_broker_name == ""


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"listeners": "PLAINTEXT:9092"}, "listeners: PLAINTEXT:9092 must look like NAME://HOST:PORT"),
        ({"listeners": "PLAINTEXT://h:x"}, "must look like NAME://HOST:PORT"),
        ({"listeners": "PLAINTEXT://h:99999"}, "must look like NAME://HOST:PORT"),
        ({"listeners": "PLAINTEXT://:9092,PLAINTEXT://:9094"}, "PLAINTEXT comes twice"),
        ({"listeners": "PLAINTEXT://:9092,CONTROLLER://:9092"}, "PLAINTEXT, CONTROLLER share 9092"),
        ({"listeners": "PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.2:9092"}, "share 9092"),
        (
            {"listeners": "FOO://:9092,CONTROLLER://:9093"},
            "add FOO:PLAINTEXT to listener.security.protocol.map",
        ),
        ({"listeners": "PLAINTEXT://0.0.0.0:9092,CONTROLLER://:9093"}, "set advertised.listeners"),
        ({"listeners": "PLAINTEXT://[::]:9092,CONTROLLER://:9093"}, "for example PLAINTEXT://HOST:9092"),
        ({"advertised_listeners": "PLAINTEXT://0.0.0.0:9092"}, "0.0.0.0 can't be advertised"),
        ({"advertised_listeners": "CONTROLLER://h:1"}, "a broker needs a listener"),
        ({"advertised_listeners": "SSL://h:1,PLAINTEXT://h:2"}, "not supported yet"),
        ({"controller_listener_names": "CONTROLLER,PLAINTEXT"}, "a broker needs a listener"),
        ({"controller_listener_names": "CONTROLLER,OTHER"}, "OTHER must be in listeners"),
        ({"process_roles": "broker"}, "CONTROLLER must not be in listeners"),
        ({"process_roles": "controller"}, "PLAINTEXT must be in controller.listener.names"),
        ({"inter_broker_listener_name": "FOO"}, "FOO has no entry in listener.security.protocol.map"),
        ({"inter_broker_listener_name": "CONTROLLER"}, "must be one of those advertised: PLAINTEXT"),
        (
            {"inter_broker_listener_name": "PLAINTEXT", "security_inter_broker_protocol": "PLAINTEXT"},
            "not both",
        ),
        ({"security_inter_broker_protocol": "SSL"}, "SSL must be one of those advertised"),
        (
            {"listener_security_protocol_map": "PLAINTEXT:FOO"},
            "must be NAME:PROTOCOL with one of PLAINTEXT, SSL",
        ),
        ({"listener_security_protocol_map": "PLAINTEXT"}, "must be NAME:PROTOCOL"),
        ({"listener_security_protocol_map": "PLAINTEXT:PLAINTEXT"}, "for listener CONTROLLER"),
        ({"listeners": "SSL://h:1,CONTROLLER://:2"}, "listener SSL uses SSL, which is not supported yet"),
        (
            {"listener_security_protocol_map": "PLAINTEXT:SASL_SSL,CONTROLLER:PLAINTEXT"},
            "listener PLAINTEXT uses SASL_SSL, which is not supported yet: use PLAINTEXT",
        ),
        (
            {
                "process_roles": "broker",
                "listeners": "PLAINTEXT://h:1",
                "listener_security_protocol_map": "PLAINTEXT:PLAINTEXT,CONTROLLER:SSL",
            },
            "listener CONTROLLER uses SSL",
        ),
        (
            {
                "advertised_listeners": "PLAINTEXT://h:2,FOO://h:3",
                "listener_security_protocol_map": "FOO:PLAINTEXT,PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            },
            "FOO must be in listeners too",
        ),
    ],
)
def test_what_does_not_fit_together_is_one_line_that_says_what_to_set(
    changes: dict[str, str], message: str
) -> None:
    with pytest.raises(OptionError) as caught:
        listeners(**changes)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:9092", ("127.0.0.1", 9092)),
        ("[::1]:0", ("::1", 0)),
        (":9092", ("", 9092)),
        (" localhost:1 ", ("localhost", 1)),
    ],
)
def test_addresses(text: str, address: tuple[str, int]) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize(
    "text", ["", "9092", "localhost", "localhost:", "::1:9092", "h:70000", "a b:1", "h:-1"]
)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(OptionError, match=r"127\.0\.0\.1:9092"):
        parse_address(text)


def test_the_shorthand_stands_for_a_client_s_listener_and_a_controller_s_on_loopback() -> None:
    assert listen_shorthand("[::1]:9092") == "PLAINTEXT://[::1]:9092,CONTROLLER://127.0.0.1:0"
    assert listen_shorthand("localhost:9092", None) == "PLAINTEXT://localhost:9092"


def test_limits_by_host() -> None:
    assert parse_host_counts("") == {}
    assert parse_host_counts("127.0.0.1:5, ::1:7") == {"127.0.0.1": 5, "::1": 7}
