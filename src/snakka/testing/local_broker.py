"""A real broker inside a test: any Kafka client reaches it over a socket, and nothing of it is left afterwards.

Rule: it is the broker that `snakka start` runs, with the same options; only the process around it is somebody else's, so
nothing here touches signals, logging, the garbage collector or the event loop's kind.
"""

import asyncio
import logging
import tempfile
import threading
from collections.abc import Mapping
from types import MappingProxyType, TracebackType
from typing import Self

from snakka.broker.option_catalog import load_options
from snakka.broker.server import BrokerServer
from snakka.options.option_set import OptionSet

log = logging.getLogger(__name__)

ADDRESS = "127.0.0.1:0"
START_SECONDS = 60.0
STOP_SECONDS = 30.0


# Where a test does not say otherwise: nobody waits for more members of a group, and internal topics are small.
FOR_TESTS: Mapping[str, str] = MappingProxyType(
    {
        "group.initial.rebalance.delay.ms": "0",
        "offsets.topic.num.partitions": "1",
        "transaction.state.log.num.partitions": "1",
    }
)


class LocalBroker:
    """A broker on the running event loop.

    async with LocalBroker({"num.partitions": "3"}) as broker:
        ...  # a client at broker.bootstrap_servers

    Options have Kafka's names; where nothing is said, a group begins with its first member (`FOR_TESTS`). Without
    `data_dir` the data is in a temporary directory that is removed afterwards; with it the data stays, for a test that
    starts a broker again.
    """

    def __init__(self, options: Mapping[str, object] | None = None, *, data_dir: str | None = None) -> None:
        self._given = {**FOR_TESTS, **{name: _text(value) for name, value in (options or {}).items()}}
        self._data_dir = data_dir
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._server: BrokerServer | None = None

    @property
    def server(self) -> BrokerServer:
        """The running broker itself."""
        if self._server is None:
            raise RuntimeError("the broker is not running: use it inside `with`")
        return self._server

    @property
    def options(self) -> OptionSet:
        return self.server.services.options.current

    @property
    def host(self) -> str:
        return self.server.client_endpoints[0].host

    @property
    def port(self) -> int:
        return self.server.client_endpoints[0].port

    @property
    def bootstrap_servers(self) -> str:
        return self.server.client_endpoints[0].address

    async def start(self) -> None:
        """As `async with` does; OptionError, ListenError or DataDirectoryError say why it can't."""
        if self._server is not None:
            raise RuntimeError("the broker is running already")
        try:
            server = BrokerServer(self._options())
            await server.start()
        except BaseException:
            self._remove_data()
            raise
        self._server = server

    async def stop(self) -> None:
        """Stop cleanly, and remove what was temporary. It may be started again."""
        server, self._server = self._server, None
        try:
            if server is not None:
                await server.stop()
        finally:
            self._remove_data()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    def _options(self) -> OptionSet:
        has_directory = "log.dirs" in self._given or "log.dir" in self._given
        data_dir = self._data_dir
        if data_dir is None and not has_directory:
            self._temporary = tempfile.TemporaryDirectory(prefix="snakka-", ignore_cleanup_errors=True)
            data_dir = self._temporary.name
        return load_options(
            assignments=[f"{name}={text}" for name, text in self._given.items()],
            listen=None if "listeners" in self._given else ADDRESS,
            data_dir=data_dir,
            log=lambda notice: log.warning("%s", notice),
        )

    def _remove_data(self) -> None:
        temporary, self._temporary = self._temporary, None
        if temporary is not None:
            temporary.cleanup()


class BlockingLocalBroker:
    """The same for tests without asyncio: the broker has an event loop in a thread of its own.

    with BlockingLocalBroker() as broker:
        ...  # a client at broker.bootstrap_servers
    """

    def __init__(self, options: Mapping[str, object] | None = None, *, data_dir: str | None = None) -> None:
        self._broker = LocalBroker(options, data_dir=data_dir)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def options(self) -> OptionSet:
        return self._broker.options

    @property
    def host(self) -> str:
        return self._broker.host

    @property
    def port(self) -> int:
        return self._broker.port

    @property
    def bootstrap_servers(self) -> str:
        return self._broker.bootstrap_servers

    def start(self) -> None:
        """As `with` does; what keeps the broker from starting is raised here."""
        if self._thread is not None:
            raise RuntimeError("the broker is running already")
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="snakka-broker", daemon=True)
        self._thread.start()
        try:
            asyncio.run_coroutine_threadsafe(self._broker.start(), self._loop).result(START_SECONDS)
        except BaseException:
            self._end_thread()
            raise

    def stop(self) -> None:
        """Stop cleanly, and remove what was temporary. It may be started again."""
        if self._loop is None:
            return
        try:
            asyncio.run_coroutine_threadsafe(self._broker.stop(), self._loop).result(STOP_SECONDS)
        finally:
            self._end_thread()

    def _end_thread(self) -> None:
        loop, thread = self._loop, self._thread
        self._loop = self._thread = None
        if loop is None or thread is None:
            return
        loop.call_soon_threadsafe(loop.stop)
        thread.join(STOP_SECONDS)
        if not thread.is_alive():
            loop.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _text(value: object) -> str:
    """An option's value as it would stand in a file; Python's True is Kafka's true."""
    return str(value).lower() if isinstance(value, bool) else str(value)
