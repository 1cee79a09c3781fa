"""A running Snakka with Kafka's tools pointed at it."""

from tests.kafka.kafka_tools_process import KafkaTools
from tests.kafka.nodes import Node


class ToolBox:
    """A running Snakka, and the tools pointed at it."""

    def __init__(self, node: Node, tools: KafkaTools) -> None:
        self.node = node
        self._tools = tools

    def run(self, script: str, *arguments: str, stdin: str = "") -> str:
        """What the tool prints; it must succeed."""
        return self._tools.run_ok(script, *self._pointed(script, arguments), stdin=stdin)

    def fail(self, script: str, *arguments: str) -> str:
        """What the tool says; it must fail."""
        ended = self._tools.run(script, *self._pointed(script, arguments))
        assert ended.code != 0, ended.output
        return ended.output + ended.errors

    def table(self, script: str, *arguments: str) -> list[list[str]]:
        """The words of each line that the tool prints, without headings, in an order of their own."""
        heading, *lines = filter(None, (line.split() for line in self.run(script, *arguments).splitlines()))
        return sorted(line for line in lines if line != heading)

    def _pointed(self, script: str, arguments: tuple[str, ...]) -> tuple[str, ...]:
        if any(argument.startswith("--bootstrap") for argument in arguments):
            return arguments
        where = ("--bootstrap-server", self.node.bootstrap)
        # Tools with commands of their own want these first, or before the address.
        return (*arguments, *where) if script == "kafka-cluster" else (*where, *arguments)
