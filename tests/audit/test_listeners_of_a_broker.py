"""Listeners of a whole broker: several at once, IPv6, options by prefix, idle clients, and who can reach it by default."""

import socket
import sys
from pathlib import Path

import pytest
from tests.audit.asking import client_of
from tests.broker.raw_client import RawClient
from tests.cli.broker_process import run_command, start_broker

from snakka.protocol.messages.api_versions import ApiVersionsRequest
from snakka.protocol.messages.metadata import MetadataRequest
from snakka.testing import LocalBroker

TWO_LISTENERS = {
    "listeners": "INSIDE://127.0.0.1:0,OUTSIDE://127.0.0.1:0,CONTROLLER://127.0.0.1:0",
    "listener.security.protocol.map": "INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "controller.listener.names": "CONTROLLER",
    "inter.broker.listener.name": "INSIDE",
}


def _has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


async def test_each_listener_tells_its_own_address():
    async with LocalBroker(TWO_LISTENERS) as broker:
        for endpoint in broker.server.client_endpoints:
            async with await RawClient.open((endpoint.host, endpoint.port)) as client:
                node = (await client.ask(MetadataRequest(topics=[]))).brokers[0]
                assert (node.host, node.port) == (endpoint.host, endpoint.port), endpoint.name


async def test_an_option_with_a_prefix_is_for_that_listener_alone():
    limits = {
        "listener.name.outside.max.connections": 1,
        "listener.name.outside.connections.max.idle.ms": 300,
    }
    async with LocalBroker(TWO_LISTENERS | limits) as broker:
        inside, outside = ((one.host, one.port) for one in broker.server.client_endpoints)
        async with await RawClient.open(inside) as kept, await RawClient.open(outside) as idle:
            await kept.ask(ApiVersionsRequest(), 0)
            await idle.ask(ApiVersionsRequest(), 0)
            async with await RawClient.open(outside) as refused, await RawClient.open(inside) as another:
                await refused.wait_until_closed()
                await another.ask(ApiVersionsRequest(), 0)
            await idle.wait_until_closed()
            await kept.ask(ApiVersionsRequest(), 0)


async def test_idle_clients_are_closed():
    async with LocalBroker({"connections.max.idle.ms": 200}) as broker, await client_of(broker) as client:
        await client.ask(ApiVersionsRequest(), 0)
        await client.wait_until_closed()


@pytest.mark.skipif(not _has_ipv6(), reason="this machine has no IPv6")
async def test_a_broker_on_ipv6():
    listeners = "PLAINTEXT://[::1]:0,CONTROLLER://127.0.0.1:0"
    async with LocalBroker({"listeners": listeners}) as broker:
        assert broker.bootstrap_servers == f"[::1]:{broker.port}"
        async with await client_of(broker) as client:
            node = (await client.ask(MetadataRequest(topics=[]))).brokers[0]
            assert (node.host, node.port) == ("::1", broker.port)


@pytest.mark.skipif(not _has_ipv6(), reason="this machine has no IPv6")
def test_commands_reach_a_broker_on_ipv6(tmp_path):
    with start_broker(tmp_path, "--listen", "[::1]:0") as process:
        assert process.bootstrap.startswith("[::1]:")
        assert run_command("topic", "create", "orders", bootstrap=process.bootstrap).returncode == 0
        assert run_command("topic", "list", bootstrap=process.bootstrap).stdout == b"orders\n"
        assert process.stop() == 0


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_by_default_nobody_beyond_this_machine_reaches_a_broker(tmp_path):
    with start_broker(tmp_path, "--metrics", "127.0.0.1:0") as process:
        descriptors = Path(f"/proc/{process.process.pid}/fd").iterdir()
        targets = {str(one.readlink()) for one in descriptors if one.is_symlink()}
        listening = []
        for family in ("tcp", "tcp6"):
            for line in Path(f"/proc/net/{family}").read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == "0A" and f"socket:[{fields[9]}]" in targets:
                    listening.append(fields[1].partition(":")[0])
        assert listening == ["0100007F"] * 3, "clients, controller and metrics, all on 127.0.0.1"


def test_secrets_are_not_logged(tmp_path):
    secret = "correct-horse-battery"
    given = [
        f"--set={name}={secret}" for name in ("ssl.keystore.password", "sasl.jaas.config", "ssl.key.password")
    ]
    with start_broker(tmp_path, "--log-level", "debug", *given) as process:
        assert process.stop() == 0
        assert "ssl.keystore.password" in process.log
        assert secret not in process.log
    refused = run_command(
        "start", f"--set=ssl.keystore.password={secret}", f"--set=ssl.keystore.pasword={secret}"
    )
    assert refused.returncode == 2
    assert secret.encode() not in refused.stderr


def test_a_toml_file_starts_a_broker(tmp_path):
    config = tmp_path / "server.toml"
    config.write_text("num.partitions = 4\n[log]\nretention.hours = 24\n[message]\nmax.bytes = 5000\n")
    with start_broker(tmp_path, "--config", str(config)) as process:
        assert run_command("topic", "create", "orders", bootstrap=process.bootstrap).returncode == 0
        described = run_command("topic", "describe", "orders", bootstrap=process.bootstrap).stdout.decode()
        assert described.rstrip().splitlines()[-1].startswith("3 ")
        assert process.stop() == 0
