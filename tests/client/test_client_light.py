"""The client needs little: without uvloop, NumPy and pyarrow it sends and reads, and says what columns need."""

import subprocess
import sys

from snakka.testing import BlockingLocalBroker

SECONDS = 60

# Run in a process of its own, in which the heavy packages can't be imported.
SCRIPT = """
import asyncio, sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("uvloop", "numpy", "pyarrow"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
from snakka.client import Admin, Consumer, Producer

async def main(servers):
    async with Admin(bootstrap_servers=servers) as admin:
        await admin.create_topic("light")
    async with Producer(bootstrap_servers=servers, compression_type="zstd") as producer:
        await producer.send_and_wait("light", b"value", b"key", headers=[("h", b"1")])
    async with Consumer("light", bootstrap_servers=servers, group_id="g", auto_offset_reset="earliest") as consumer:
        message = await consumer.getone()
        print(message.key, message.value, message.headers)
        try:
            await consumer.seek_to_beginning()
            await consumer.fetch_arrow(timeout_ms=10_000)
        except Exception as error:
            print(type(error).__name__, error)

asyncio.run(main(sys.argv[1]))
broker_side = {"broker", "storage", "raft", "metadata", "replication", "coordination"}
print(sorted(name for name in sys.modules if name.startswith("snakka.") and name.split(".")[1] in broker_side))
"""


def test_it_works_without_the_heavy_packages() -> None:
    with BlockingLocalBroker() as broker:
        ended = subprocess.run(
            [sys.executable, "-W", "error", "-c", SCRIPT, broker.bootstrap_servers],
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    assert ended.returncode == 0, ended.stderr
    record, columns, broker_side = ended.stdout.splitlines()
    assert record == "b'key' b'value' (('h', b'1'),)"
    assert "snakka[arrow]" in columns
    assert broker_side == "[]"
