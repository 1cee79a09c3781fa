"""A server that does nothing but send pieces of files: what of the way of bytes to a client no broker can spare.

A request names a file by its number, a position and a size; the answer is those bytes, which the kernel moves from the page
cache into the socket. No Kafka in it, and a thread for each connection, so that nobody waits for another.
"""

import os
import socket
import struct
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from bench.module_server import ModuleServer
from snakka.network.local_connections import begin_unpaced

# File, position, size.
REQUEST = struct.Struct(">IQI")


def serve(paths: Sequence[str]) -> None:
    """Serve until the process is ended; the port is the first line on stdout."""
    files = [os.open(path, os.O_RDONLY) for path in paths]
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        begin_unpaced(listener)
        listener.listen()
        print(listener.getsockname()[1], flush=True)
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=_answer, args=(connection, files), daemon=True).start()


def _answer(connection: socket.socket, files: Sequence[int]) -> None:
    with connection, suppress(ConnectionError):  # who asked may need no more
        while len(request := connection.recv(REQUEST.size, socket.MSG_WAITALL)) == REQUEST.size:
            file, position, size = REQUEST.unpack(request)
            end = position + size
            while position < end:
                sent = os.sendfile(connection.fileno(), files[file], position, end - position)
                if not sent:
                    return  # the file ends before: closing says so
                position += sent


class BareSender(ModuleServer):
    """The server in a process of its own: `with BareSender(paths) as sender: sender.port`."""

    def __init__(self, paths: Sequence[Path]) -> None:
        super().__init__("bench.bare_sender", *map(str, paths))


if __name__ == "__main__":
    serve(sys.argv[1:])
