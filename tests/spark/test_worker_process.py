"""What a worker has loaded is not looked through after each task; what tasks leave behind still is."""

import ast
import subprocess
import sys

WORKER = """
import gc
import weakref
import pyarrow.compute
from snakka.spark.worker_process import keep_what_is_loaded

class Leftover:
    pass

def task():
    keep_what_is_loaded()
    left = Leftover()
    left.itself = left
    return weakref.ref(left)

seen = []
for _ in range(10):
    left = task()
    gc.collect()
    seen.append((left() is None, len(gc.get_objects()), gc.get_freeze_count()))
print(seen)
"""


def test_modules_are_passed_over_and_leftovers_are_not() -> None:
    outcome = subprocess.run(
        [sys.executable, "-c", WORKER], capture_output=True, text=True, timeout=60, check=True
    )
    tasks: list[tuple[bool, int, int]] = ast.literal_eval(outcome.stdout)
    assert all(is_gone for is_gone, _, _ in tasks)
    assert all(passed_over > 10 * looked_at for _, looked_at, passed_over in tasks)
    assert len({passed_over for _, _, passed_over in tasks[4:]}) == 1, "only the first tasks load something"
