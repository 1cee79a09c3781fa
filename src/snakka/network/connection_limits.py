"""How many connections there may be: in the whole broker, on one listener, from one address.

The rule: every admission is undone by exactly one release, however the connection ends, and an address without
connections leaves no trace, so that nobody fills the table by coming from many addresses.
"""

import ipaddress
import logging
import socket
from collections.abc import Mapping

log = logging.getLogger(__name__)

UNLIMITED = 2**31 - 1


class ConnectionLimits:
    """Counts of one broker. The limits are plain attributes: a new value holds from the next connection on."""

    __slots__ = (
        "_by_address",
        "_by_listener",
        "_overrides",
        "listener_limits",
        "most",
        "most_per_address",
        "total",
    )

    def __init__(
        self,
        most: int = UNLIMITED,
        most_per_address: int = UNLIMITED,
        overrides: Mapping[str, int] | None = None,
        listener_limits: Mapping[str, int] | None = None,
    ) -> None:
        self.most = most
        self.most_per_address = most_per_address
        # Listener name to `listener.name.<name>.max.connections`.
        self.listener_limits = dict(listener_limits or {})
        self.total = 0
        self._by_listener: dict[str, int] = {}
        self._by_address: dict[str, int] = {}
        self.set_overrides(overrides or {})

    def set_overrides(self, overrides: Mapping[str, int]) -> None:
        """Limits of single hosts: any spelling of an address, or a name that stands for all addresses it has now."""
        self._overrides = {
            address: limit for host, limit in overrides.items() for address in _addresses_of(host)
        }

    def admit(self, listener: str, address: str) -> bool:
        """Count one more connection, or refuse it and count nothing."""
        if self.total >= self.most:
            return False
        on_listener = self._by_listener.get(listener, 0)
        if on_listener >= self.listener_limits.get(listener, UNLIMITED):
            return False
        from_address = self._by_address.get(address, 0)
        if from_address >= self._overrides.get(address, self.most_per_address):
            return False
        self.total += 1
        self._by_listener[listener] = on_listener + 1
        self._by_address[address] = from_address + 1
        return True

    def release(self, listener: str, address: str) -> None:
        """An admitted connection has ended."""
        self.total -= 1
        _count_down(self._by_listener, listener)
        _count_down(self._by_address, address)

    def connections_from(self, address: str) -> int:
        return self._by_address.get(normal_address(address), 0)

    @property
    def addresses(self) -> int:
        """How many addresses have connections."""
        return len(self._by_address)


def _count_down(counts: dict[str, int], key: str) -> None:
    left = counts[key] - 1
    if left:
        counts[key] = left
    else:
        del counts[key]


def normal_address(text: str) -> str:
    """One spelling for each address: no zone, no IPv4 dressed up as IPv6. What is no IP address stays as it is."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return text
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(address)


def _addresses_of(host: str) -> list[str]:
    """The addresses that a host name stands for now; none if nobody knows it. Blocking: at start and at a change."""
    try:
        ipaddress.ip_address(host.partition("%")[0])
        return [normal_address(host)]
    except ValueError:
        pass
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError as error:
        log.warning("max.connections.per.ip.overrides: '%s' has no address: %s", host, error.strerror)
        return []
    return [normal_address(str(address[0])) for *_, address in found]
