"""What a type checker knows of the clients: settings by name and type, results by type, with and without asyncio."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SECONDS = 100

PROGRAM = """
from snakka.client import Admin, Consumer, Producer
from snakka.client.blocking import Consumer as BlockingConsumer

Producer(bootstrap_servers="127.0.0.1:9092", acks=1, linger_ms=20, compression_type=None)
Producer({"linger.ms": 20}, bootstrap_servers=["a:1", "b:2"])
Producer(linger=20)  # wrong
Producer(linger_ms="soon")  # wrong
Consumer("orders", bootstrap_servers="127.0.0.1:9092", group_id="billing", enable_auto_commit=False)
Consumer("orders", group="billing")  # wrong
Admin(bootstrap_servers=9092)  # wrong

async def read() -> int:
    async with Consumer("orders", bootstrap_servers="127.0.0.1:9092") as consumer:
        message = await consumer.getone()
        return message.topic  # wrong

def read_blocking() -> str:
    with BlockingConsumer("orders", fetch_min_byte=1) as consumer:  # wrong
        return next(consumer).topic
"""


def test_a_type_checker_finds_what_is_wrong(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    ended = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", str(program)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    found = {int(line.split(":")[1]) for line in ended.stdout.splitlines() if ": error: " in line}
    lines = PROGRAM.splitlines()
    assert found == {number for number, line in enumerate(lines, 1) if line.endswith("# wrong")}, ended.stdout
