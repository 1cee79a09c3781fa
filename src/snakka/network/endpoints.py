"""Which addresses a node listens on, and which it tells to others: listeners, advertised.listeners and their kin.

Rule: everything is decided from options alone, before anything is opened; a bad combination is one OptionError that says
what to set. An empty host means all interfaces when bound, and this machine's own name when advertised, as in Kafka.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from snakka.options.option import OptionError
from snakka.options.option_set import OptionSet

CONTROLLER_LISTENER = "CONTROLLER"
CONTROLLER_ON_LOOPBACK = "127.0.0.1:0"
PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")

_ADDRESS = r"(?:\[([0-9a-zA-Z:.%]+)\]|([0-9a-zA-Z._%-]*)):(\d{1,5})"
_ENTRY = rf"([^:/\s]+)://{_ADDRESS}"
_WILDCARDS = frozenset({"0.0.0.0", "::", "0:0:0:0:0:0:0:0"})


class Endpoint(NamedTuple):
    """One address under the name of its listener."""

    name: str
    host: str  # "" for all interfaces
    port: int  # 0 until the system has chosen one
    protocol: str
    is_controller: bool

    @property
    def address(self) -> str:
        """HOST:PORT as clients write it."""
        host = self.host or "0.0.0.0"
        return f"[{host}]:{self.port}" if ":" in host else f"{host}:{self.port}"

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.name}://{host}:{self.port}"


class Listeners(NamedTuple):
    """All addresses of a node."""

    bound: tuple[Endpoint, ...]
    advertised: tuple[Endpoint, ...]  # told to clients and brokers; never a controller's
    advertised_controllers: tuple[Endpoint, ...]  # told to the quorum
    controller_names: tuple[str, ...]  # the first is what a broker uses to reach controllers
    inter_broker_name: str  # "" for a node that is no broker

    def with_ports(self, ports: Mapping[str, int]) -> Listeners:
        """The same with the ports that were got for port 0, by listener name."""

        def resolved(endpoints: Iterable[Endpoint]) -> tuple[Endpoint, ...]:
            return tuple(
                endpoint if endpoint.port else endpoint._replace(port=ports[endpoint.name])
                for endpoint in endpoints
            )

        return self._replace(
            bound=resolved(self.bound),
            advertised=resolved(self.advertised),
            advertised_controllers=resolved(self.advertised_controllers),
        )


def parse_listeners(options: OptionSet, own_host_name: Callable[[], str] = socket.getfqdn) -> Listeners:
    """The listeners that the options ask for; OptionError if they do not fit together or are not served yet."""
    controllers = tuple(name.upper() for name in options.entries("controller.listener.names"))
    protocols = _protocol_map(options, controllers)
    bound = _endpoints(options, "listeners", protocols, controllers)
    _refuse_shared_ports(bound)
    advertised = bound
    if options.entries("advertised.listeners"):
        advertised = _endpoints(options, "advertised.listeners", protocols, controllers)
    roles = options.entries("process.roles")
    _check_roles(roles, bound, controllers, protocols)
    to_clients = [endpoint for endpoint in advertised if not endpoint.is_controller]
    inter_broker = ""
    if "broker" in roles:
        inter_broker = _inter_broker_name(options, protocols)
        _check_advertised(bound, to_clients, inter_broker, controllers)
    return Listeners(
        bound,
        tuple(_named(endpoint, own_host_name) for endpoint in to_clients),
        tuple(
            _named(endpoint, own_host_name) for endpoint in _controllers_of(controllers, advertised, bound)
        ),
        controllers,
        inter_broker,
    )


def parse_address(address: str) -> tuple[str, int]:
    """HOST:PORT, with an IPv6 address in brackets."""
    match = re.fullmatch(_ADDRESS, address.strip())
    if match is None or int(match[3]) > 65535:
        raise OptionError(f"{address} is no HOST:PORT; write for example 127.0.0.1:9092 or [::1]:9092")
    return match[1] or match[2] or "", int(match[3])


def listen_shorthand(address: str, controller_name: str | None = CONTROLLER_LISTENER) -> str:
    """The `listeners` that `--listen HOST:PORT` stands for: one for clients and, if named, a controller's on loopback."""
    host, port = parse_address(address)
    client = str(Endpoint("PLAINTEXT", host, port, "PLAINTEXT", False))
    return client if controller_name is None else f"{client},{controller_name}://{CONTROLLER_ON_LOOPBACK}"


def parse_host_counts(text: str) -> dict[str, int]:
    """max.connections.per.ip.overrides as numbers by host; the option's own rules have been checked already."""
    counts = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        host, _, count = entry.rpartition(":")
        counts[host.strip()] = int(count)
    return counts


def _protocol_map(options: OptionSet, controllers: tuple[str, ...]) -> dict[str, str]:
    protocols = {}
    for entry in filter(
        None, (part.strip() for part in options.text("listener.security.protocol.map").split(","))
    ):
        name, _, protocol = (part.strip().upper() for part in entry.rpartition(":"))
        if not name or protocol not in PROTOCOLS:
            raise OptionError(
                f"listener.security.protocol.map: {entry} must be NAME:PROTOCOL with one of {', '.join(PROTOCOLS)}"
            )
        protocols[name] = protocol
    if options.is_set("listener.security.protocol.map"):
        return protocols
    names = {entry.partition(":")[0].strip().upper() for entry in options.entries("listeners")} | set(
        controllers
    )
    if names.isdisjoint(PROTOCOLS[1:]):  # with security somewhere, a controller's must be said, not guessed
        for name in controllers:
            protocols.setdefault(name, "PLAINTEXT")
    return protocols


def _endpoints(
    options: OptionSet, option: str, protocols: Mapping[str, str], controllers: tuple[str, ...]
) -> tuple[Endpoint, ...]:
    endpoints: dict[str, Endpoint] = {}
    for entry in options.entries(option):
        match = re.fullmatch(_ENTRY, entry)
        if match is None or int(match[4]) > 65535:
            raise OptionError(f"{option}: {entry} must look like NAME://HOST:PORT")
        name = match[1].upper()
        if name in endpoints:
            raise OptionError(f"{option}: each listener must have its own name, but {name} comes twice")
        if name not in protocols:
            raise OptionError(
                f"{option}: no security protocol is defined for listener {name}; add {name}:PLAINTEXT to"
                " listener.security.protocol.map"
            )
        _refuse_unserved(name, protocols[name])
        host = match[2] or match[3] or ""
        endpoints[name] = Endpoint(name, host, int(match[4]), protocols[name], name in controllers)
    return tuple(endpoints.values())


def _refuse_shared_ports(endpoints: tuple[Endpoint, ...]) -> None:
    """Two listeners may share a port only if one is an IPv4 address and the other an IPv6 address."""
    for port in {endpoint.port for endpoint in endpoints if endpoint.port}:
        families = sorted(_family(endpoint.host) for endpoint in endpoints if endpoint.port == port)
        if len(families) > 1 and families != ["IPv4", "IPv6"]:
            names = ", ".join(endpoint.name for endpoint in endpoints if endpoint.port == port)
            raise OptionError(f"listeners: each listener must have its own port, but {names} share {port}")


def _family(host: str) -> str:
    for family, name in ((socket.AF_INET, "IPv4"), (socket.AF_INET6, "IPv6")):
        try:
            socket.inet_pton(family, host)
            return name
        except OSError:
            continue
    return "name"


def _check_roles(
    roles: tuple[str, ...],
    bound: tuple[Endpoint, ...],
    controllers: tuple[str, ...],
    protocols: Mapping[str, str],
) -> None:
    if not controllers:
        raise OptionError(
            "controller.listener.names must name the listener of the controllers, for example CONTROLLER"
        )
    names = {endpoint.name for endpoint in bound}
    if "controller" not in roles:
        shared = [name for name in controllers if name in names]
        if shared:
            raise OptionError(
                f"controller.listener.names: {', '.join(shared)} must not be in listeners when process.roles is only broker"
            )
        unknown = [name for name in controllers if name not in protocols]
        if unknown:
            raise OptionError(
                f"controller.listener.names: {unknown[0]} has no entry in listener.security.protocol.map"
            )
        for name in controllers:
            _refuse_unserved(name, protocols[name])
        return
    missing = [name for name in controllers if name not in names]
    if missing:
        raise OptionError(
            f"controller.listener.names: {', '.join(missing)} must be in listeners when process.roles contains controller"
        )
    if "broker" not in roles and len(names) > len(controllers):
        others = ", ".join(sorted(names - set(controllers)))
        raise OptionError(
            f"listeners: {others} must be in controller.listener.names when process.roles is only controller"
        )


def _inter_broker_name(options: OptionSet, protocols: Mapping[str, str]) -> str:
    name = options.text_or_none("inter.broker.listener.name")
    if not name:
        return options.text("security.inter.broker.protocol")
    if options.is_set("security.inter.broker.protocol"):
        raise OptionError("set inter.broker.listener.name or security.inter.broker.protocol, not both")
    if name.upper() not in protocols:
        raise OptionError(
            f"inter.broker.listener.name: {name} has no entry in listener.security.protocol.map"
        )
    return name.upper()


def _check_advertised(
    bound: tuple[Endpoint, ...], advertised: list[Endpoint], inter_broker: str, controllers: tuple[str, ...]
) -> None:
    if not advertised:
        raise OptionError(
            "listeners: a broker needs a listener that is not in controller.listener.names"
            f" ({', '.join(controllers)}), for example PLAINTEXT://127.0.0.1:9092"
        )
    names = [endpoint.name for endpoint in advertised]
    unbound = [name for name in names if name not in {endpoint.name for endpoint in bound}]
    if unbound:
        raise OptionError(f"advertised.listeners: {', '.join(unbound)} must be in listeners too")
    if inter_broker not in names:
        raise OptionError(
            f"inter.broker.listener.name: {inter_broker} must be one of those advertised: {', '.join(names)}"
        )
    for endpoint in advertised:
        if endpoint.host in _WILDCARDS:
            example = endpoint._replace(host="HOST")
            raise OptionError(
                f"{endpoint.host} can't be advertised to clients: set advertised.listeners to an address that they can"
                f" reach, for example {example}"
            )


def _refuse_unserved(name: str, protocol: str) -> None:
    if protocol != "PLAINTEXT":
        raise OptionError(f"listener {name} uses {protocol}, which is not supported yet: use PLAINTEXT")


def _controllers_of(
    controllers: tuple[str, ...], advertised: tuple[Endpoint, ...], bound: tuple[Endpoint, ...]
) -> list[Endpoint]:
    """What the quorum is told: the advertised address of each controller listener, else the bound one."""
    by_name = {endpoint.name: endpoint for endpoint in bound}
    by_name.update((endpoint.name, endpoint) for endpoint in advertised)
    found = [by_name[name] for name in controllers if name in by_name]
    return [endpoint._replace(host="") if endpoint.host in _WILDCARDS else endpoint for endpoint in found]


def _named(endpoint: Endpoint, own_host_name: Callable[[], str]) -> Endpoint:
    return endpoint if endpoint.host else endpoint._replace(host=own_host_name())
