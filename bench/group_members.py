"""Members of classic groups on bare sockets, in one thread: what they cost is the server's work, not a client library's.

A member joins, and joins again whenever the group rebalances; the leader gives each member one partition. A round ends when
all members have an assignment of one and the same generation.
"""

import selectors
import socket
import struct
import time
from collections.abc import Callable

from bench.raw_client import request_frame
from snakka.protocol.api_keys import ApiKey, response_class
from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.message import Message
from snakka.protocol.messages.heartbeat import HeartbeatRequest
from snakka.protocol.messages.join_group import (
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    JoinGroupResponse,
)
from snakka.protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from snakka.protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from snakka.protocol.request_header import read_response_header

_SIZE = struct.Struct(">i")
JOIN_VERSION, SYNC_VERSION, HEARTBEAT_VERSION, LEAVE_VERSION = 7, 5, 4, 4
# Members hear of a rebalance by a heartbeat: often, so that the server is measured and not the wait for the next one.
HEARTBEAT_SECONDS = 0.02
# But no more than so many a second in all: the thread that sends them has to come to rest in between.
MOST_HEARTBEATS_A_SECOND = 5000
SESSION_MS = 300_000


class Member:
    """One connection and where its member is in the protocol."""

    def __init__(self, port: int, group: str) -> None:
        self.group = group
        self.member_id = ""
        self.generation = -1
        self.is_settled = False
        self._answered: Callable[[bytes], None] | None = None
        self._received = bytearray()
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def join(self) -> None:
        self.is_settled = False
        protocol = JoinGroupRequestProtocol(name="range", metadata=b"\0" * 10)
        request = JoinGroupRequest(
            group_id=self.group,
            session_timeout_ms=SESSION_MS,
            rebalance_timeout_ms=SESSION_MS,
            member_id=self.member_id,
            protocol_type="consumer",
            protocols=[protocol],
        )
        self._ask(request, JOIN_VERSION, self._joined)

    def heartbeat(self) -> None:
        request = HeartbeatRequest(
            group_id=self.group, generation_id=self.generation, member_id=self.member_id
        )
        self._ask(request, HEARTBEAT_VERSION, self._beaten)

    def leave(self) -> None:
        self.is_settled = False
        request = LeaveGroupRequest(
            group_id=self.group, members=[MemberIdentity(member_id=self.member_id, group_instance_id=None)]
        )
        self._ask(request, LEAVE_VERSION, lambda answer: None)

    @property
    def is_idle(self) -> bool:
        return self._answered is None

    def receive(self) -> None:
        """Bytes are there: take them, and act on a whole answer."""
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionError("the server closed a member's connection")
        self._received += data
        while len(self._received) >= 4:
            (size,) = _SIZE.unpack_from(self._received)
            if len(self._received) < 4 + size:
                return
            answer = bytes(self._received[4 : 4 + size])
            del self._received[: 4 + size]
            answered, self._answered = self._answered, None
            if answered is not None:
                answered(answer)

    def _ask(self, request: Message, version: int, answered: Callable[[Message], None]) -> None:
        def decode(answer: bytes) -> None:
            _, position = read_response_header(answer, request.API_KEY, version)
            answered(response_class(ApiKey(request.API_KEY)).decode(answer, version, position))

        self._answered = decode
        self.socket.sendall(request_frame(request, version))

    def _joined(self, answer: JoinGroupResponse) -> None:
        if answer.error_code == ErrorCode.MEMBER_ID_REQUIRED:
            self.member_id = answer.member_id
            self.join()
            return
        if answer.error_code:
            raise RuntimeError(f"a join failed: {ErrorCode(answer.error_code).name}")
        self.member_id, self.generation = answer.member_id, answer.generation_id
        assignments = []
        if answer.leader == answer.member_id:
            assignments = [
                SyncGroupRequestAssignment(member_id=row.member_id, assignment=_SIZE.pack(number))
                for number, row in enumerate(answer.members)
            ]
        request = SyncGroupRequest(
            group_id=self.group,
            generation_id=self.generation,
            member_id=self.member_id,
            protocol_type="consumer",
            protocol_name="range",
            assignments=assignments,
        )
        self._ask(request, SYNC_VERSION, self._synced)

    def _synced(self, answer: Message) -> None:
        if answer.error_code:  # type: ignore[attr-defined]
            self.join()
        else:
            self.is_settled = True

    def _beaten(self, answer: Message) -> None:
        if answer.error_code:  # type: ignore[attr-defined]
            self.join()


class Crowd:
    """Many members, driven by one thread."""

    def __init__(self) -> None:
        self.members: list[Member] = []
        self._selector = selectors.DefaultSelector()

    def add(self, port: int, group: str) -> Member:
        member = Member(port, group)
        self.members.append(member)
        self._selector.register(member.socket, selectors.EVENT_READ, member)
        return member

    def drop(self, member: Member) -> None:
        self.members.remove(member)
        self._selector.unregister(member.socket)
        member.socket.close()

    def settle(self, deadline_seconds: float = 120.0) -> None:
        """Until all members of each group have an assignment of one generation."""
        deadline = time.monotonic() + deadline_seconds
        pause = max(HEARTBEAT_SECONDS, len(self.members) / MOST_HEARTBEATS_A_SECOND)
        next_beat = time.monotonic() + pause
        while not self._is_settled():
            for key, _ in self._selector.select(pause / 4):
                key.data.receive()
            now = time.monotonic()
            if now > deadline:
                raise TimeoutError("the members do not come to rest")
            if now >= next_beat:
                next_beat = now + pause
                for member in self.members:
                    if member.is_settled and member.is_idle:
                        member.heartbeat()

    def close(self) -> None:
        for member in list(self.members):
            self.drop(member)
        self._selector.close()

    def _is_settled(self) -> bool:
        if not all(member.is_settled and member.is_idle for member in self.members):
            return False
        return len({(member.group, member.generation) for member in self.members}) == len(
            {member.group for member in self.members}
        )
