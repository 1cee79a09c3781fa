import asyncio
import struct
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import pytest
from network_harness import framed, listening, sealed, stays, until

from snakka.network.connection import Connection
from snakka.network.peer_connection import (
    MOST_IN_FLIGHT,
    MOST_WAITING,
    PeerBusyError,
    PeerConnection,
    PeerDisconnectedError,
    PeerTimeoutError,
    PeerUnreachableError,
)
from snakka.network.waiting import Waiting
from snakka.protocol.api_keys import ApiKey, request_class
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.protocol.frame import Frame
from snakka.protocol.message import Message
from snakka.protocol.messages.api_versions import ApiVersion, ApiVersionsResponse
from snakka.protocol.messages.fetch import (
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    PartitionData,
)
from snakka.protocol.messages.init_producer_id import InitProducerIdRequest
from snakka.protocol.messages.list_groups import ListedGroup, ListGroupsRequest, ListGroupsResponse
from snakka.protocol.messages.metadata import MetadataRequest, MetadataResponse
from snakka.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from snakka.protocol.request_header import read_request_header, write_response_header

Run = Callable[[Coroutine[Any, Any, Any]], Any]

VERSIONS = {
    ApiKey.API_VERSIONS: (0, 4),
    ApiKey.LIST_GROUPS: (0, 99),
    ApiKey.METADATA: (4, 9),
    ApiKey.PRODUCE: (0, 13),
    ApiKey.INIT_PRODUCER_ID: (0, 6),
    ApiKey.FETCH: (99, 100),
}


class Peer:
    """A broker with answers to order: `answers` maps an API to what it says, Waiting included."""

    api_ranges = ()

    def __init__(
        self, answers: dict[ApiKey, Callable[[Any], Message | Waiting | None]] | None = None
    ) -> None:
        self.answers = answers or {}
        self.newest_api_versions = 4
        self.seen: list[tuple[int, int, str | None, Message]] = []

    def dispatch(self, connection: Connection, frame: memoryview) -> None:
        header = read_request_header(frame)
        key, version = header.api_key, header.api_version
        if key == ApiKey.API_VERSIONS and version > self.newest_api_versions:
            answer = Frame(4)
            write_response_header(answer, key, 0, header.correlation_id)
            row = ApiVersion(api_key=key, min_version=0, max_version=self.newest_api_versions)
            ApiVersionsResponse(error_code=ErrorCode.UNSUPPORTED_VERSION, api_keys=[row]).write(answer, 0)
            answer.seal()
            connection.answer(answer)
            return
        request = request_class(key).decode(frame, version, header.body_pos)
        self.seen.append((key, version, header.client_id, request))

        def encode(response: Message | None) -> Frame | None:
            if response is None:
                return None
            answer = Frame(4)
            write_response_header(answer, key, version, header.correlation_id)
            response.write(answer, version)
            answer.seal()
            return answer

        response = self.answers.get(ApiKey(key), self.default)(request)
        if isinstance(response, Waiting):
            response.bind(encode, connection.answer_later)
            connection.wait_for(response)
        elif (answer := encode(response)) is not None:
            connection.answer(answer)

    def default(self, request: Message) -> Message | None:
        if isinstance(request, ProduceRequest):
            return None
        assert request.API_KEY == ApiKey.API_VERSIONS
        rows = [
            ApiVersion(api_key=key, min_version=low, max_version=high)
            for key, (low, high) in VERSIONS.items()
        ]
        return ApiVersionsResponse(api_keys=rows)


def list_groups(name: str) -> ListGroupsResponse:
    return ListGroupsResponse(
        groups=[ListedGroup(group_id=name, protocol_type="", group_state="", group_type="")]
    )


def test_the_highest_common_version_is_used(run: Run) -> None:
    async def scenario() -> None:
        peer = Peer(
            {
                ApiKey.LIST_GROUPS: lambda _: list_groups("g"),
                ApiKey.METADATA: lambda _: MetadataResponse(controller_id=3),
            }
        )
        async with listening(peer) as listener:
            connection = await PeerConnection.open("127.0.0.1", listener.port, client_id="us")
            assert connection.versions[ApiKey.METADATA] == (4, 9)
            response = await connection.request(ListGroupsRequest(), deadline_seconds=5)
            assert response.groups[0].group_id == "g"
            assert (await connection.request(MetadataRequest(), deadline_seconds=5)).controller_id == 3
            assert (
                await connection.request(MetadataRequest(), deadline_seconds=5, version=5)
            ).controller_id == 3
            connection.close()
        seen = [(key, version, client_id) for key, version, client_id, _ in peer.seen]
        assert seen == [(18, 4, "us"), (16, 5, "us"), (3, 9, "us"), (3, 5, "us")]
        assert peer.seen[0][3].client_software_name == "snakka"  # type: ignore[attr-defined]

    run(scenario())


def test_without_a_common_version_the_request_is_not_sent(run: Run) -> None:
    async def scenario() -> None:
        async with listening(Peer()) as listener:
            connection = await PeerConnection.open("127.0.0.1", listener.port, client_id="us")
            # Unstable versions are not used unless asked for.
            assert connection.highest_version(ApiKey.INIT_PRODUCER_ID) == 5
            for message in (request_class(ApiKey.FETCH)(), request_class(ApiKey.HEARTBEAT)()):
                with pytest.raises(ApiError, match="UNSUPPORTED_VERSION") as caught:
                    await connection.request(message, deadline_seconds=5)
                assert caught.value.code == ErrorCode.UNSUPPORTED_VERSION
            assert connection.in_flight == 0
            connection.close()

    run(scenario())


@pytest.mark.parametrize("newest", [0, 2, 3])
def test_an_older_peer_is_asked_again_in_its_own_version(run: Run, newest: int) -> None:
    async def scenario() -> None:
        peer = Peer()
        peer.newest_api_versions = newest
        async with listening(peer) as listener:
            connection = await PeerConnection.open("127.0.0.1", listener.port, client_id=None)
            assert connection.versions[ApiKey.LIST_GROUPS] == (0, 99)
            assert [(key, version) for key, version, _, _ in peer.seen] == [(18, newest)]
            connection.close()

    run(scenario())


def test_many_requests_share_the_connection(run: Run) -> None:
    async def scenario() -> None:
        peer = Peer({ApiKey.LIST_GROUPS: lambda request: list_groups(request.states_filter[0])})
        async with listening(peer) as listener:
            connection = await PeerConnection.open("127.0.0.1", listener.port, client_id="us")
            responses = await asyncio.gather(
                *(
                    connection.request(ListGroupsRequest(states_filter=[f"{number}"]), deadline_seconds=10)
                    for number in range(500)
                )
            )
            assert [response.groups[0].group_id for response in responses] == [
                f"{number}" for number in range(500)
            ]
            assert connection.in_flight == 0
            connection.close()

    run(scenario())


def test_no_more_than_a_bounded_number_is_in_flight(run: Run) -> None:
    async def scenario() -> None:
        parked: list[Waiting] = []

        def park(_: Any) -> Waiting:
            parked.append(Waiting())
            return parked[-1]

        async with listening(Peer({ApiKey.LIST_GROUPS: park})) as listener:
            connection = await PeerConnection.open("127.0.0.1", listener.port, client_id="us")
            asked = [
                asyncio.ensure_future(connection.request(ListGroupsRequest(), deadline_seconds=20))
                for _ in range(2 * MOST_IN_FLIGHT)
            ]
            await until(lambda: len(parked) == MOST_IN_FLIGHT)
            assert await stays(lambda: connection.in_flight == len(parked) == MOST_IN_FLIGHT, turns=10)
            for number in range(2 * MOST_IN_FLIGHT):
                await until(lambda number=number: len(parked) > number)
                parked[number].complete(list_groups(f"{number}"))
            assert len(await asyncio.gather(*asked)) == 2 * MOST_IN_FLIGHT
            connection.close()

    run(scenario())


def test_a_late_answer_is_dropped_and_the_next_is_not_confused(run: Run) -> None:
    async def scenario() -> None:
        parked: list[Waiting] = []

        def first_waits(_: Any) -> Message | Waiting:
            if not parked:
                parked.append(Waiting())
                return parked[0]
            return list_groups("second")

        async with listening(Peer({ApiKey.LIST_GROUPS: first_waits})) as listener:
            connection = await PeerConnection.open("127.0.0.1", listener.port, client_id="us")
            with pytest.raises(TimeoutError):
                await connection.request(ListGroupsRequest(), deadline_seconds=0.02)
            assert connection.in_flight == 1
            second = asyncio.ensure_future(connection.request(ListGroupsRequest(), deadline_seconds=10))
            await until(lambda: parked)
            parked[0].complete(list_groups("first, too late"))
            assert (await second).groups[0].group_id == "second"
            assert connection.in_flight == 0
            connection.close()

    run(scenario())


def test_a_lost_connection_fails_all_that_is_open(run: Run) -> None:
    async def scenario() -> None:
        async with listening(Peer({ApiKey.LIST_GROUPS: lambda _: Waiting()})) as listener:
            connection = await PeerConnection.open("127.0.0.1", listener.port, client_id="us")
            asked = [
                asyncio.ensure_future(connection.request(ListGroupsRequest(), deadline_seconds=20))
                for _ in range(MOST_IN_FLIGHT + 5)
            ]
            await until(lambda: connection.in_flight == MOST_IN_FLIGHT)
            for server_side in list(listener.connections):
                server_side.abort()
            results = await asyncio.gather(*asked, return_exceptions=True)
            assert all(isinstance(result, PeerDisconnectedError) for result in results)
            assert not connection.is_open
            with pytest.raises(PeerDisconnectedError, match=str(listener.port)):
                await connection.request(ListGroupsRequest(), deadline_seconds=1)
            with pytest.raises(ConnectionError):
                connection.send_without_answer(ProduceRequest(acks=0, timeout_ms=1))

    run(scenario())


def test_closing_fails_all_that_is_open(run: Run) -> None:
    async def scenario() -> None:
        async with listening(Peer({ApiKey.LIST_GROUPS: lambda _: Waiting()})) as listener:
            connection = await PeerConnection.open("127.0.0.1", listener.port, client_id="us")
            asked = asyncio.ensure_future(connection.request(ListGroupsRequest(), deadline_seconds=20))
            await until(lambda: connection.in_flight == 1)
            connection.close()
            connection.close()
            with pytest.raises(PeerDisconnectedError):
                await asked

    run(scenario())


def test_a_request_without_an_answer_is_just_sent(run: Run) -> None:
    async def scenario() -> None:
        peer = Peer({ApiKey.LIST_GROUPS: lambda _: list_groups("after")})
        async with listening(peer) as listener:
            connection = await PeerConnection.open("127.0.0.1", listener.port, client_id="us")
            connection.send_without_answer(ProduceRequest(acks=0, timeout_ms=1))
            response = await connection.request(ListGroupsRequest(), deadline_seconds=5)
            assert response.groups[0].group_id == "after"
            assert [key for key, *_ in peer.seen] == [18, 0, 16]
            connection.close()

    run(scenario())


def test_a_large_response_keeps_its_bytes(run: Run) -> None:
    async def scenario() -> None:
        names = ["a" * 30_000, "b" * 30_000]
        groups = [
            ListedGroup(group_id=names[number % 2], protocol_type="", group_state="", group_type="")
            for number in range(60)
        ]
        peer = Peer({ApiKey.LIST_GROUPS: lambda _: ListGroupsResponse(groups=groups)})
        async with listening(peer) as listener:
            connection = await PeerConnection.open("127.0.0.1", listener.port, client_id="us")
            responses = [await connection.request(ListGroupsRequest(), deadline_seconds=5) for _ in range(3)]
            for response in responses:
                assert [group.group_id for group in response.groups] == names * 30
            connection.close()

    run(scenario())


def test_a_peer_that_is_not_there_or_does_not_answer(run: Run) -> None:
    class Silent:
        api_ranges = ()

        def dispatch(self, connection: Connection, frame: memoryview) -> None:
            pass

    async def scenario() -> None:
        async with listening(Silent()) as listener:
            port = listener.port
            with pytest.raises(TimeoutError):
                await PeerConnection.open("127.0.0.1", port, client_id="us", deadline_seconds=0.05)
            await until(lambda: not listener.connections)
        with pytest.raises(ConnectionError):
            await PeerConnection.open("127.0.0.1", port, client_id="us", deadline_seconds=5)

    run(scenario())


@pytest.mark.parametrize(
    "garbage", [framed(b"no"), framed(b"\0\0\x12\x34 never asked"), struct.pack(">i", -5)]
)
def test_nonsense_from_the_peer_ends_the_connection(run: Run, garbage: bytes) -> None:
    class Nonsense(Peer):
        def dispatch(self, connection: Connection, frame: memoryview) -> None:
            if read_request_header(frame).api_key == ApiKey.API_VERSIONS:
                super().dispatch(connection, frame)
            else:
                answer = sealed(b"")
                answer[:] = garbage
                connection.answer(answer)

    async def scenario() -> None:
        async with listening(Nonsense()) as listener:
            connection = await PeerConnection.open("127.0.0.1", listener.port, client_id="us")
            with pytest.raises(PeerDisconnectedError):
                await connection.request(InitProducerIdRequest(), deadline_seconds=10)

    run(scenario())


def test_requests_beyond_the_limit_wait_in_order_and_may_time_out_or_be_cancelled(run: Run) -> None:
    async def scenario() -> None:
        parked: list[Waiting] = []

        def park(_: Any) -> Waiting:
            parked.append(Waiting())
            return parked[-1]

        peer = Peer({ApiKey.LIST_GROUPS: park})
        async with listening(peer) as listener:
            connection = await PeerConnection.open(
                "127.0.0.1", listener.port, client_id="us", most_in_flight=2
            )
            asked = [
                connection.start(ListGroupsRequest(states_filter=[name]), timeout_seconds=20)
                for name in "abcd"
            ]
            late = connection.start(ListGroupsRequest(states_filter=["late"]), timeout_seconds=0.02)
            assert not connection.has_room
            with pytest.raises(TimeoutError, match="does not answer ListGroups in time"):
                await late
            asked[2].cancel()
            await until(lambda: len(parked) == 2)
            for number in range(3):
                await until(lambda number=number: len(parked) > number)
                parked[number].complete(list_groups(f"{number}"))
            for number, position in enumerate((0, 1, 3)):
                assert (await asked[position]).groups[0].group_id == f"{number}"
            names = [request.states_filter[0] for _, _, _, request in peer.seen[1:]]  # type: ignore[attr-defined]
            assert names == ["a", "b", "d"]
            assert connection.has_room
            assert connection.in_flight == 0
            connection.close()
            assert not connection.has_room

    run(scenario())


def test_no_more_than_a_bounded_number_waits(run: Run) -> None:
    async def scenario() -> None:
        async with listening(Peer({ApiKey.LIST_GROUPS: lambda _: Waiting()})) as listener:
            connection = await PeerConnection.open(
                "127.0.0.1", listener.port, client_id="us", most_in_flight=1
            )
            first = connection.start(ListGroupsRequest(), timeout_seconds=20)
            waiting = [
                connection.start(ListGroupsRequest(), timeout_seconds=0.05) for _ in range(MOST_WAITING)
            ]
            with pytest.raises(PeerBusyError, match=f"{MOST_WAITING} requests wait"):
                connection.start(ListGroupsRequest(), timeout_seconds=20)
            await asyncio.wait(waiting)
            assert all(isinstance(each.exception(), PeerTimeoutError) for each in waiting)
            again = connection.start(ListGroupsRequest(), timeout_seconds=20)  # those that gave up made room
            connection.close()
            for each in (first, again):
                with pytest.raises(PeerDisconnectedError):
                    await each

    run(scenario())


def test_a_broker_that_asks_for_a_pause_gets_it(run: Run) -> None:
    """KIP-219: the answer comes at once, and the client keeps quiet for as long as it says."""

    async def scenario() -> None:
        throttled = ListGroupsResponse(groups=[], throttle_time_ms=200)
        answers = [list_groups("after"), throttled]
        peer = Peer({ApiKey.LIST_GROUPS: lambda _: answers.pop()})
        async with listening(peer) as listener:
            connection = await PeerConnection.open("127.0.0.1", listener.port, client_id="us")
            loop = asyncio.get_running_loop()
            await connection.request(ListGroupsRequest(), deadline_seconds=5)
            began = loop.time()
            assert not connection.has_room
            after = await connection.request(ListGroupsRequest(), deadline_seconds=5)
            assert loop.time() - began > 0.15
            assert after.groups[0].group_id == "after"
            connection.close()

    run(scenario())


def test_a_large_answer_stays_valid_without_a_copy(run: Run) -> None:
    async def scenario() -> None:
        def fetched(request: Any) -> FetchResponse:
            data = bytes([request.max_bytes]) * 500_000
            partition = PartitionData(partition_index=0, high_watermark=0, records=data)
            return FetchResponse(responses=[FetchableTopicResponse(topic="t", partitions=[partition])])

        peer = Peer({ApiKey.FETCH: fetched})
        async with listening(peer) as listener:
            connection = await PeerConnection.open("127.0.0.1", listener.port, client_id="us")
            requests = [FetchRequest(max_wait_ms=0, min_bytes=0, max_bytes=number) for number in range(1, 6)]
            answers = [connection.start(request, timeout_seconds=5, version=11) for request in requests]
            for number, response in enumerate(await asyncio.gather(*answers), 1):
                records = response.responses[0].partitions[0].records
                assert records == bytes([number]) * 500_000
            connection.close()

    run(scenario())


@pytest.mark.parametrize(
    ("first_bytes", "explanation"),
    [
        (b"\x15\x03\x03\x00\x02\x02\x46", "speaks TLS: use security.protocol=SSL"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "speaks HTTP and not Kafka's protocol"),
        (b"", "closed the connection before it told its versions: if it speaks TLS"),
    ],
)
def test_a_peer_that_speaks_something_else_is_recognised(
    run: Run, first_bytes: bytes, explanation: str
) -> None:
    async def scenario() -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(10)
            writer.write(first_bytes)
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(PeerUnreachableError, match=explanation):
            await PeerConnection.open("127.0.0.1", port, client_id="us")
        server.close()

    run(scenario())


def test_what_the_network_does_not_take_can_be_waited_for(run: Run) -> None:
    async def scenario() -> None:
        reading, ended = asyncio.Event(), asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            size = int.from_bytes(await reader.readexactly(4), "big")
            header = read_request_header(await reader.readexactly(size))
            answer = Frame(4)
            write_response_header(answer, header.api_key, header.api_version, header.correlation_id)
            rows = [ApiVersion(api_key=key, min_version=0, max_version=9) for key in (0, 18)]
            ApiVersionsResponse(api_keys=rows).write(answer, header.api_version)
            answer.seal()
            writer.write(answer)
            await reading.wait()
            with suppress(ConnectionError):
                while await reader.read(1 << 20):
                    pass
            writer.transport.abort()
            ended.set()

        server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1 << 16)
        connection = await PeerConnection.open(
            "127.0.0.1", server.sockets[0].getsockname()[1], client_id="us"
        )
        await connection.drained(0)
        data = PartitionProduceData(index=0, records=bytes(1 << 20))
        request = ProduceRequest(
            acks=0, timeout_ms=1, topic_data=[TopicProduceData(name="t", partition_data=[data])]
        )
        for _ in range(30):
            connection.send_without_answer(request)
        assert not connection.has_room
        with pytest.raises(PeerTimeoutError, match="takes no more requests"):
            await connection.drained(0.01)
        reading.set()
        await connection.drained(10)
        assert connection.has_room
        connection.close()
        await ended.wait()
        server.close()

    run(scenario())
