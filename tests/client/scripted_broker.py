"""A broker that says what a test tells it: for what real brokers say only when they are in trouble."""

import asyncio
import inspect
import struct
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Self

from tests.client.waiting import until

from snakka.protocol.api_keys import API_FACTS, ApiKey, request_class
from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.messages.api_versions import ApiVersion, ApiVersionsResponse
from snakka.protocol.messages.metadata import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from snakka.protocol.request_header import read_request_header, write_response_header

# Clients push metrics without being told to, where it is served.
_ASKED_BY_ITSELF = (ApiKey.GET_TELEMETRY_SUBSCRIPTIONS, ApiKey.PUSH_TELEMETRY)

Answer = Message | None
Handler = Callable[[Any], Answer | Awaitable[Answer]]


class Unreadable(Message):
    """An answer without a body."""

    def write(self, out: Frame, version: int) -> None:
        return


class ScriptedBroker:
    """`answers[ApiKey.X] = function of the request`; None closes the connection instead of answering."""

    def __init__(self, node_id: int = 1) -> None:
        self.node_id = node_id
        self.port = 0  # known while it runs, and told by others when it does not any more
        self.answers: dict[int, Handler] = {ApiKey.METADATA: self._metadata}
        self.requests: list[tuple[ApiKey, int, Any]] = []  # key, version, request; without ApiVersions
        self.topics: list[MetadataResponseTopic] = []
        self.brokers: list[ScriptedBroker] = [self]
        self.newest: dict[int, int] = {}  # the newest version of an API, if it is not Kafka's
        self.port = 0  # since it has begun, and then for good
        self._server: asyncio.Server | None = None
        self.failures: list[Exception] = []  # of the test's own answers; raised at the end
        self._writers: set[asyncio.StreamWriter] = set()
        self._serving: set[asyncio.Task[Any]] = set()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def asked(self, key: ApiKey) -> list[Any]:
        """The requests of one API, in order."""
        return [request for each, _, request in self.requests if each == key]

    def add_topic(self, name: str, topic_id: bytes, leaders: list[tuple[int, int]]) -> MetadataResponseTopic:
        """A topic whose partitions have these leaders and epochs."""
        partitions = [
            MetadataResponsePartition(
                partition_index=index,
                leader_id=leader,
                leader_epoch=epoch,
                replica_nodes=[leader],
                isr_nodes=[leader],
                offline_replicas=[],
            )
            for index, (leader, epoch) in enumerate(leaders)
        ]
        topic = MetadataResponseTopic(name=name, topic_id=topic_id, partitions=partitions)
        self.topics = [each for each in self.topics if each.name != name] + [topic]
        return topic

    def drop_connections(self) -> None:
        for writer in list(self._writers):
            writer.transport.abort()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = int(self._server.sockets[0].getsockname()[1])
        self.port = int(self._server.sockets[0].getsockname()[1])
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._serving:
            task.cancel()
        await until(lambda: not self._serving)
        if self.failures:
            raise self.failures[0]

    def _metadata(self, request: Any) -> MetadataResponse:
        wanted = None if request.topics is None else {row.name or row.topic_id for row in request.topics}
        known = [
            topic
            for topic in self.topics
            if wanted is None or topic.name in wanted or topic.topic_id in wanted
        ]
        missing = (wanted or set()) - {topic.name for topic in known} - {topic.topic_id for topic in known}
        unknown = [
            MetadataResponseTopic(error_code=3, name=name, partitions=[])
            if isinstance(name, str)
            else MetadataResponseTopic(error_code=100, name=None, topic_id=name, partitions=[])
            for name in missing
        ]
        brokers = [
            MetadataResponseBroker(node_id=each.node_id, host="127.0.0.1", port=each.port)
            for each in self.brokers
        ]
        return MetadataResponse(
            brokers=brokers, cluster_id="scripted", controller_id=self.node_id, topics=[*known, *unknown]
        )

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        try:
            while True:
                (size,) = struct.unpack(">i", await reader.readexactly(4))
                if not await self._answer(await reader.readexactly(size), writer):
                    return
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            return
        except Exception as error:
            self.failures.append(error)
        finally:
            writer.transport.abort()
            self._writers.discard(writer)
            self._serving.discard(task)

    async def _answer(self, frame: bytes, writer: asyncio.StreamWriter) -> bool:
        header = read_request_header(frame)
        key, version = ApiKey(header.api_key), header.api_version
        request = request_class(key).decode(frame, version, header.body_pos)
        answer: Any
        if key is ApiKey.API_VERSIONS:
            rows = [
                ApiVersion(
                    api_key=each,
                    min_version=facts.min_version,
                    max_version=self.newest.get(each, facts.max_version),
                )
                for each, facts in API_FACTS.items()
                if each not in _ASKED_BY_ITSELF or each in self.answers
            ]
            answer = ApiVersionsResponse(api_keys=rows)
        else:
            self.requests.append((key, version, request))
            answer = self.answers[key](request)
            if inspect.isawaitable(answer):
                answer = await answer
        if answer is None:
            return False
        out = Frame(4)
        write_response_header(out, key, version, header.correlation_id)
        answer.write(out, version)
        out.seal()
        writer.write(out.joined())
        return True
