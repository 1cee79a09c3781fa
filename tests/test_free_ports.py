"""Ports for brokers that can't choose one themselves: nobody else gets them in the time that Java takes to start."""

import socket
import subprocess
import sys
from pathlib import Path

from tests.free_ports import free_ports

ROOT = Path(__file__).parent.parent
# Everybody who runs it draws the same ports, and holds what it has got until its input ends.
PROGRAM = """
import random, sys
from tests.free_ports import free_ports
random.seed(1)
print(*free_ports(100), flush=True)
sys.stdin.read()
"""


def test_processes_that_look_at_the_same_time_get_different_ports() -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    given: list[str] = []
    for process in processes:
        assert process.stdout is not None
        given += process.stdout.readline().split()
    for process in processes:
        process.communicate(timeout=60)
    assert len(given) == len(set(given)) == 200


def test_a_port_that_is_listened_on_is_not_given_nor_one_that_was_given_before() -> None:
    ports = free_ports(2)
    with socket.create_server(("127.0.0.1", ports[0])):
        assert not set(ports) & set(free_ports(100))
