"""Apache Kafka's command-line tools, as many as one likes, in one Java process."""

import json
import select
import subprocess
from pathlib import Path
from typing import NamedTuple

DRIVER = Path(__file__).with_name("ToolDriver.java")
TOOL_SECONDS = 60
# Small and quick to start; nothing here runs for long enough to be worth optimising.
JVM_FLAGS = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error")

# The script that a user calls, and the class behind it.
TOOLS = {
    "kafka-broker-api-versions": "org.apache.kafka.tools.BrokerApiVersionsCommand",
    "kafka-cluster": "org.apache.kafka.tools.ClusterTool",
    "kafka-configs": "kafka.admin.ConfigCommand",
    "kafka-console-consumer": "org.apache.kafka.tools.consumer.ConsoleConsumer",
    "kafka-console-producer": "org.apache.kafka.tools.ConsoleProducer",
    "kafka-consumer-groups": "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand",
    "kafka-consumer-perf-test": "org.apache.kafka.tools.ConsumerPerformance",
    "kafka-delete-records": "org.apache.kafka.tools.DeleteRecordsCommand",
    "kafka-dump-log": "org.apache.kafka.tools.DumpLogSegments",
    "kafka-features": "org.apache.kafka.tools.FeatureCommand",
    "kafka-get-offsets": "org.apache.kafka.tools.GetOffsetShell",
    "kafka-groups": "org.apache.kafka.tools.GroupsCommand",
    "kafka-log-dirs": "org.apache.kafka.tools.LogDirsCommand",
    "kafka-metadata-quorum": "org.apache.kafka.tools.MetadataQuorumCommand",
    "kafka-producer-perf-test": "org.apache.kafka.tools.ProducerPerformance",
    "kafka-storage": "kafka.tools.StorageTool",
    "kafka-streams-application-reset": "org.apache.kafka.tools.StreamsResetter",
    "kafka-topics": "org.apache.kafka.tools.TopicCommand",
    "kafka-transactions": "org.apache.kafka.tools.TransactionsCommand",
}


class Ended(NamedTuple):
    """What came of a tool's run."""

    code: int
    output: str
    errors: str


class KafkaTools:
    """`run` is a script's command line; `run_ok` is the same for those that must succeed."""

    def __init__(self, libs: str) -> None:
        self._process = subprocess.Popen(
            ["java", "-Xmx256m", *JVM_FLAGS, "-cp", f"{libs}/*", str(DRIVER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, script: str, *arguments: str, stdin: str = "") -> Ended:
        command, answers = self._process.stdin, self._process.stdout
        assert command is not None
        assert answers is not None
        line = json.dumps({"tool": TOOLS[script], "arguments": arguments, "input": stdin})
        command.write(line + "\n")
        command.flush()
        # One command, one answer: nothing is ever left in Python's buffer when a command begins.
        if not select.select([answers], [], [], TOOL_SECONDS)[0]:
            self.close()
            raise AssertionError(f"{script} {' '.join(arguments)} did not end")
        return Ended(**json.loads(answers.readline()))

    def run_ok(self, script: str, *arguments: str, stdin: str = "") -> str:
        """What the tool prints."""
        ended = self.run(script, *arguments, stdin=stdin)
        assert ended.code == 0, f"{script} {' '.join(arguments)} failed:\n{ended.output}{ended.errors}"
        return ended.output

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()
