"""Which code reads and writes records: the compiled module if it was built, Python and NumPy if not.

The rule of this room: nobody else decides it. Both give the same results; `SNAKKA_RECORDS=python` in the environment
chooses the second, to compare them.
"""

import os

# What this source knows how to call; it stands in native/records.h too.
INTERFACE = 3
CHOICE = "SNAKKA_RECORDS"


def _is_compiled() -> bool:
    if os.environ.get(CHOICE) == "python":
        return False
    try:
        from snakka.protocol import _records
    except ImportError:
        return False
    return _records.INTERFACE == INTERFACE


# True: `snakka.protocol._records` can be imported, and fits.
IS_COMPILED = _is_compiled()
ENGINE_NAME = "compiled" if IS_COMPILED else "python"


def engine_line() -> str:
    """For people: which one is active, and how to get the faster one."""
    if IS_COMPILED:
        return "records are read and written by compiled code"
    if os.environ.get(CHOICE) == "python":
        return f"records are read and written by Python and NumPy, as {CHOICE} says; compiled code is faster"
    return (
        "records are read and written by Python and NumPy; compiled code is faster: install Snakka again where"
        " there is a C compiler"
    )
