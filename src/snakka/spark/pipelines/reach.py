"""Whether somebody answers at an address.

Rule: nothing is asked of him; it only connects.
"""

from http.client import HTTPConnection

_SECONDS = 5.0


def why_not_reached(host: str, port: int) -> str:
    """Empty if there is somebody."""
    there = HTTPConnection(host, port, timeout=_SECONDS)
    try:
        there.connect()
    except OSError as error:
        return error.strerror or str(error)
    finally:
        there.close()
    return ""
