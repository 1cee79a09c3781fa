"""The simulated network is a network: streams in order, with back-pressure, cut at any point, on time that only jumps."""

import asyncio
import random
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from snakka.testing.simulation.loop import Program, SimulatedLoop
from snakka.testing.simulation.network import NetworkManners, SimulatedNetwork
from snakka.testing.simulation.trace import SimulationFailure, Trace

MANNERS = NetworkManners(0.001, 0.02, 0.1, 1_000, 300, 0.3)
PORT = 9


class Peer(asyncio.BufferedProtocol):
    """Keeps what it gets, and how it ended."""

    def __init__(self) -> None:
        self.buffer = bytearray(500)
        self.received = bytearray()
        self.reads = 0
        self.is_paused = False
        self.pauses = 0
        self.ends: list[Exception | None] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: Any = transport

    def get_buffer(self, sizehint: int) -> memoryview:
        return memoryview(self.buffer)

    def buffer_updated(self, count: int) -> None:
        self.reads += 1
        self.received += self.buffer[:count]

    def pause_writing(self) -> None:
        self.is_paused = True
        self.pauses += 1

    def resume_writing(self) -> None:
        self.is_paused = False

    def connection_lost(self, error: Exception | None) -> None:
        self.ends.append(error)


class Setting:
    """A loop with a network, and a server whose connections are kept."""

    def __init__(self, seed: int) -> None:
        self.loop = SimulatedLoop()
        self.network = SimulatedNetwork(self.loop, random.Random(seed), MANNERS, Trace(self.loop.time))
        self.accepted: list[Peer] = []

    def accept(self) -> Peer:
        self.accepted.append(Peer())
        return self.accepted[-1]

    async def connected(self) -> tuple[Peer, Peer]:
        """The client's end and the server's."""
        _, client = await self.loop.create_connection(Peer, "host", PORT)
        return client, self.accepted[-1]

    def run(self, story: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            self.loop.run_until_complete(story())
        finally:
            self.loop.close()


@pytest.mark.parametrize("seed", range(10))
def test_bytes_arrive_once_and_in_order_in_pieces_however_fast_they_are_written(seed: int) -> None:
    setting = Setting(seed)

    async def story() -> None:
        await setting.loop.create_server(setting.accept, "host", PORT)
        client, server = await setting.connected()
        client.transport.set_write_buffer_limits(high=0)
        sent = random.Random(seed).randbytes(20_000)
        for start in range(0, len(sent), 2_500):
            client.transport.write(sent[start : start + 2_500])
        assert client.is_paused, "the network takes a thousand bytes at a time"
        await asyncio.sleep(10)
        assert bytes(server.received) == sent
        assert server.reads > 20
        assert not client.is_paused
        client.transport.write(b"the end")
        client.transport.close()
        await asyncio.sleep(10)
        assert server.received.endswith(b"the end")
        assert (client.ends, server.ends) == ([None], [None])

    setting.run(story)


def test_who_does_not_read_holds_the_writer_back() -> None:
    setting = Setting(1)

    async def story() -> None:
        await setting.loop.create_server(setting.accept, "host", PORT)
        client, server = await setting.connected()
        server.transport.pause_reading()
        client.transport.set_write_buffer_limits(high=0)
        client.transport.write(bytes(5_000))
        await asyncio.sleep(10)
        assert (server.received, client.is_paused) == (b"", True)
        assert client.transport.get_write_buffer_size() == 4_000
        server.transport.resume_reading()
        await asyncio.sleep(10)
        assert (len(server.received), client.is_paused) == (5_000, False)

    setting.run(story)


def test_a_cut_connection_loses_what_was_under_way_and_ends_once_at_both_ends() -> None:
    setting = Setting(2)

    async def story() -> None:
        await setting.loop.create_server(setting.accept, "host", PORT)
        client, server = await setting.connected()
        client.transport.write(b"lost")
        assert setting.network.cut_one()
        await asyncio.sleep(10)
        assert server.received == b""
        assert [type(end) for end in (*client.ends, *server.ends)] == [ConnectionResetError] * 2
        assert not setting.network.cut_one(), "there is none left"

    setting.run(story)


def test_nobody_listens_and_nobody_answers() -> None:
    setting = Setting(3)

    async def story() -> None:
        with pytest.raises(ConnectionRefusedError):
            await setting.connected()
        setting.network.machine_is_up = False
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(60):
                await setting.connected()

    setting.run(story)


def test_of_a_program_that_dies_nothing_happens_any_more() -> None:
    setting = Setting(4)
    happened: list[str] = []

    async def program_life(program: Program) -> None:
        await setting.loop.create_server(setting.accept, "host", PORT)
        setting.loop.call_later(5, happened.append, "timer")
        try:
            await asyncio.sleep(5)
        finally:
            await asyncio.sleep(1)
            happened.append("clean-up")

    async def story() -> None:
        program = Program(setting.loop, "victim")
        program.spawn(program_life(program), "life")
        await asyncio.sleep(1)
        client, server = await setting.connected()
        client.transport.write(b"hello")
        await asyncio.sleep(1)
        setting.network.remove_program(program, power_is_off=False)
        program.die()
        await asyncio.sleep(60)
        assert happened == []
        assert (bytes(server.received), server.ends) == (b"hello", [])
        assert len(client.ends) == 1
        with pytest.raises(ConnectionRefusedError):
            await setting.connected()

    setting.run(story)


def test_a_world_in_which_nothing_can_happen_is_a_failure() -> None:
    setting = Setting(5)

    async def story() -> None:
        await setting.loop.create_future()

    with pytest.raises(SimulationFailure, match="nothing is left"):
        setting.run(story)
