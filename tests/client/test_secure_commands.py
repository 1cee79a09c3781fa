"""The command line with TLS and a login, by the properties file that Kafka's own tools take; judged by Apache Kafka."""

from pathlib import Path

import pytest
from tests.cli.broker_process import run_command
from tests.client.kafka_broker import PASSWORD, USER, KafkaBroker
from tests.client.topic_content import new_name

pytestmark = pytest.mark.slow  # the first test waits for Kafka to start


def properties(directory: Path, kafka: KafkaBroker, password: str = PASSWORD) -> str:
    module = "org.apache.kafka.common.security.scram.ScramLoginModule"
    file = directory / "client.properties"
    file.write_text(
        f"bootstrap.servers={kafka.sasl_tls}\n"
        "security.protocol=SASL_SSL\n"
        "sasl.mechanism=SCRAM-SHA-512\n"
        f'sasl.jaas.config={module} required username="{USER}" password="{password}";\n'
        "ssl.truststore.type=PEM\n"
        f"ssl.truststore.location={kafka.certificates.ca}\n"
    )
    return str(file)


def test_commands_log_in(tmp_path: Path, kafka: KafkaBroker) -> None:
    file = properties(tmp_path, kafka)
    topic = new_name("commands")
    created = run_command("topic", "create", topic, "--command-config", file)
    assert (created.returncode, created.stdout) == (0, f"created topic {topic}\n".encode()), created.stderr
    sent = run_command("produce", topic, "--command-config", file, stdin=b"one\ntwo\n")
    assert sent.returncode == 0, sent.stderr
    read = run_command(
        *("consume", topic, "--from-beginning", "--max-messages", "2", "--timeout", "20"),
        *("--command-config", file),
    )
    assert (read.returncode, read.stdout) == (0, b"one\ntwo\n"), read.stderr


def test_a_property_counts_before_the_file(tmp_path: Path, kafka: KafkaBroker) -> None:
    """Here it makes the login go to a listener that knows of none."""
    file = properties(tmp_path, kafka)
    outcome = run_command(
        *("topic", "list", "--command-config", file),
        *("--command-property", "security.protocol=PLAINTEXT", "--bootstrap-server", kafka.bootstrap),
    )
    assert outcome.returncode == 0, outcome.stderr


@pytest.mark.parametrize("command", ["topic", "produce", "consume"])
def test_who_is_not_let_in_hears_why_in_one_line(tmp_path: Path, kafka: KafkaBroker, command: str) -> None:
    file = properties(tmp_path, kafka, password="a wrong secret")
    words = {"topic": ["list"], "produce": ["t"], "consume": ["t"]}[command]
    outcome = run_command(command, *words, "--command-config", file)
    (line,) = outcome.stderr.decode().splitlines()
    assert outcome.returncode == 1
    assert "SCRAM-SHA-512" in line
    assert USER in line or "authentication" in line.lower()
    assert "a wrong secret" not in line


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--command-config", "no-such-file"], "no-such-file"),
        (["--command-property", "securty.protocol=SSL"], "did you mean security.protocol?"),
        (["--command-property", "security.protocol"], "NAME=VALUE"),
        (["--command-property", "security.protocol=TLS"], "security.protocol"),
    ],
)
def test_what_is_wrong_with_the_settings_is_said(words: list[str], complaint: str) -> None:
    outcome = run_command("topic", "list", *words)
    (line,) = outcome.stderr.decode().splitlines()
    assert outcome.returncode == 2
    assert complaint in line
