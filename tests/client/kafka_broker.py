"""One Apache Kafka for all tests of a worker: a plain listener, and one of each kind that security offers."""

import asyncio
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.client.certificates import Certificates
from tests.free_ports import free_ports
from tests.kafka.kafka_tools_process import JVM_FLAGS
from tests.kafka.nodes import START_SECONDS, Node, running_kafka
from tests.kafka.settling import prepare

USER, PASSWORD = "alice", "alice's secret"
CLUSTER_ID = "5Yr1SIgYQz-b-dgRabWx4g"
# How long a login is good for on the listener that wants new ones.
SESSION_MS = 1_500
_SECURITY = "org.apache.kafka.common.security"
_MECHANISMS = "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER"


class KafkaBroker:
    """Addresses of its listeners. Client certificates are asked for only on `mutual_tls`."""

    def __init__(self, directory: Path) -> None:
        self.certificates = Certificates(directory / "certificates")
        self.node = Node(directory / "node")
        self.tls, self.mutual_tls, self.sasl, self.sasl_tls, self.short_sessions = (
            f"localhost:{port}" for port in free_ports(5)
        )
        self.bootstrap = self.node.bootstrap
        self.node.options |= {**self._listeners(), **self._tls(), **self._sasl(), **self._rights()}
        self.node.set_options(log_dirs=f"{self.node.data},{self.node.data}-2")
        self.telemetry = directory / "telemetry"  # TelemetryReceiver keeps clients' pushes here
        self.telemetry.mkdir()
        self.node.set_options(
            metric_reporters="TelemetryReceiver", telemetry_receiver_directory=str(self.telemetry)
        )
        self.node.set_options(controller_quorum_bootstrap_servers=self.node.controller)
        self.node.set_options(transaction_abort_timed_out_transaction_cleanup_interval_ms="200")
        # Members that nobody waits for long: tests would take minutes else.
        self.node.set_options(
            group_min_session_timeout_ms="1000",
            group_consumer_min_heartbeat_interval_ms="100",
            group_consumer_heartbeat_interval_ms="200",
            group_consumer_min_session_timeout_ms="1000",
        )

    async def settle(self) -> None:
        """Until all that was changed before is in effect: what a broker shows it has not taken over everywhere yet."""
        await asyncio.to_thread(prepare, self.node.port)

    def format(self, libs: str) -> None:
        users = [
            f'{mechanism}=[name={USER},password="{PASSWORD}"]'
            for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512")
        ]
        scram = [word for user in users for word in ("--add-scram", user)]
        ended = subprocess.run(
            [
                *(
                    "java",
                    *JVM_FLAGS,
                    "-cp",
                    f"{libs}/*",
                    "kafka.tools.StorageTool",
                    "format",
                    "--standalone",
                ),
                *("-t", CLUSTER_ID, "-c", str(self.node.properties), *scram),
            ],
            check=False,
            capture_output=True,
            text=True,
            timeout=START_SECONDS,
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr

    def _listeners(self) -> dict[str, str]:
        protocols = {
            "PLAINTEXT": "PLAINTEXT",
            "CONTROLLER": "PLAINTEXT",
            "TLS": "SSL",
            "MUTUAL": "SSL",
            "SASL": "SASL_PLAINTEXT",
            "SASLTLS": "SASL_SSL",
            "SHORT": "SASL_PLAINTEXT",
        }
        secured = zip(
            ("TLS", "MUTUAL", "SASL", "SASLTLS", "SHORT"),
            (self.tls, self.mutual_tls, self.sasl, self.sasl_tls, self.short_sessions),
            strict=True,
        )
        more = "".join(f",{name}://{address}" for name, address in secured)
        return {
            "listeners": self.node.options["listeners"] + more,
            "listener.security.protocol.map": ",".join(f"{name}:{kind}" for name, kind in protocols.items()),
            "inter.broker.listener.name": "PLAINTEXT",
        }

    def _tls(self) -> dict[str, str]:
        return {
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": self.certificates.server,
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": self.certificates.ca,
            "listener.name.mutual.ssl.client.auth": "required",
        }

    def _rights(self) -> dict[str, str]:
        """ACLs and tokens are there to be administered; whoever has no ACL may do everything."""
        return {
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": "User:ANONYMOUS",
            "allow.everyone.if.no.acl.found": "true",
            "delegation.token.secret.key": "not a secret",
        }

    def _sasl(self) -> dict[str, str]:
        modules = {
            "plain": f'{_SECURITY}.plain.PlainLoginModule required user_{USER}="{PASSWORD}";',
            "scram-sha-256": f"{_SECURITY}.scram.ScramLoginModule required;",
            "scram-sha-512": f"{_SECURITY}.scram.ScramLoginModule required;",
            "oauthbearer": f"{_SECURITY}.oauthbearer.OAuthBearerLoginModule required"
            ' unsecuredLoginStringClaim_sub="broker" unsecuredValidatorRequiredScope="kafka";',
        }
        options = {"listener.name.short.connections.max.reauth.ms": str(SESSION_MS)}
        for listener in ("sasl", "sasltls", "short"):
            enabled = "SCRAM-SHA-512" if listener == "short" else _MECHANISMS
            options[f"listener.name.{listener}.sasl.enabled.mechanisms"] = enabled
            for mechanism, module in modules.items():
                options[f"listener.name.{listener}.{mechanism}.sasl.jaas.config"] = module
        return options


@contextmanager
def running_kafka_broker(directory: Path, libs: str) -> Iterator[KafkaBroker]:
    broker = KafkaBroker(directory)
    broker.format(libs)
    with running_kafka(broker.node, f"{_compiled_receiver(directory, libs)}:{libs}"):
        yield broker


def _compiled_receiver(directory: Path, libs: str) -> Path:
    classes = directory / "classes"
    source = Path(__file__).with_name("TelemetryReceiver.java")
    subprocess.run(
        ["javac", "-cp", f"{libs}/*", "-d", str(classes), str(source)],
        check=True,
        capture_output=True,
        timeout=START_SECONDS,
    )
    return classes
