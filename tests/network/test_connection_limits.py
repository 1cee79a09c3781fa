import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakka.network.connection_limits import ConnectionLimits, normal_address


def test_without_limits_everybody_is_admitted() -> None:
    limits = ConnectionLimits()
    assert all(limits.admit("L", "10.0.0.1") for _ in range(1000))
    assert limits.total == 1000


def test_the_broker_wide_limit_counts_all_listeners() -> None:
    limits = ConnectionLimits(most=2)
    assert limits.admit("A", "10.0.0.1")
    assert limits.admit("B", "10.0.0.2")
    assert not limits.admit("A", "10.0.0.3")
    limits.release("B", "10.0.0.2")
    assert limits.admit("A", "10.0.0.3")


def test_a_refusal_by_address_takes_nothing_from_the_broker_wide_count() -> None:
    limits = ConnectionLimits(most=3, most_per_address=1)
    assert limits.admit("A", "10.0.0.1")
    for _ in range(10):
        assert not limits.admit("A", "10.0.0.1")
    assert limits.total == 1
    assert limits.admit("A", "10.0.0.2")
    assert limits.admit("A", "10.0.0.3")
    assert not limits.admit("A", "10.0.0.4")


def test_a_listener_may_have_its_own_limit() -> None:
    limits = ConnectionLimits(listener_limits={"A": 1})
    assert limits.admit("A", "10.0.0.1")
    assert not limits.admit("A", "10.0.0.2")
    assert limits.admit("B", "10.0.0.2")
    limits.release("A", "10.0.0.1")
    assert limits.admit("A", "10.0.0.2")


def test_an_address_may_have_its_own_limit_under_any_spelling() -> None:
    limits = ConnectionLimits(most_per_address=0, overrides={"::ffff:10.0.0.1": 1, "FE80:0::1%eth0": 2})
    assert limits.admit("A", normal_address("10.0.0.1"))
    assert not limits.admit("A", normal_address("::ffff:10.0.0.1"))
    assert limits.admit("A", normal_address("fe80::1%eth1"))
    assert limits.admit("A", normal_address("fe80::1"))
    assert not limits.admit("A", normal_address("fe80::1"))
    assert not limits.admit("A", normal_address("10.0.0.2"))


def test_limits_change_while_running() -> None:
    limits = ConnectionLimits(most=1)
    assert limits.admit("A", "10.0.0.1")
    assert not limits.admit("A", "10.0.0.1")
    limits.most = 3
    limits.most_per_address = 2
    assert limits.admit("A", "10.0.0.1")
    assert not limits.admit("A", "10.0.0.1")
    limits.set_overrides({"10.0.0.1": 3})
    assert limits.admit("A", "10.0.0.1")
    # A lower limit ends no connection; it holds for the next one.
    limits.most = 1
    assert limits.total == 3
    limits.release("A", "10.0.0.1")
    assert not limits.admit("A", "10.0.0.1")


@given(
    st.lists(st.tuples(st.sampled_from("AB"), st.sampled_from(["10.0.0.1", "10.0.0.2", "::1"])), max_size=60)
)
def test_when_all_are_gone_no_trace_is_left(arrivals: list[tuple[str, str]]) -> None:
    limits = ConnectionLimits(most=12, most_per_address=5, listener_limits={"B": 4})
    admitted = [arrival for arrival in arrivals if limits.admit(*arrival)]
    assert limits.total == len(admitted) <= 12
    assert limits.addresses == len({address for _, address in admitted})
    for _, address in admitted:
        assert limits.connections_from(address) == sum(other == address for _, other in admitted) <= 5
    for arrival in admitted:
        limits.release(*arrival)
    assert (limits.total, limits.addresses, limits._by_listener) == (0, 0, {})


def test_a_host_name_stands_for_its_addresses(caplog: pytest.LogCaptureFixture) -> None:
    limits = ConnectionLimits(most_per_address=0, overrides={"localhost": 1, "no.such.host.invalid": 1})
    assert limits.admit("A", "127.0.0.1")
    assert not limits.admit("A", "127.0.0.1")
    assert not limits.admit("A", "10.0.0.1")
    assert "no.such.host.invalid" in caplog.text
