"""Whether all of a stretch of a file is in memory: Linux counts its pages at once (cachestat, since 6.5).

Rule: where the system can't or won't tell, the answer is None, and whoever asks must look himself.
"""

import ctypes
import sys
from ctypes import c_uint64
from mmap import PAGESIZE

_CACHESTAT = 451  # the same on every kind of processor


class _Stretch(ctypes.Structure):
    _fields_ = (("start", c_uint64), ("size", c_uint64))


class _Pages(ctypes.Structure):
    _fields_ = (
        ("in_memory", c_uint64),
        ("changed", c_uint64),
        ("being_written", c_uint64),
        ("forgotten", c_uint64),
        ("forgotten_lately", c_uint64),
    )


# It takes a microsecond: to let other threads go on meanwhile would take longer.
_system_call = ctypes.PyDLL(None).syscall if sys.platform == "linux" else None


def is_all_in_memory(fd: int, start: int, size: int) -> bool | None:
    """None where nobody knows. A page that is just being read counts as if it were there."""
    if _system_call is None:
        return None
    pages = _Pages()
    if _system_call(_CACHESTAT, fd, ctypes.byref(_Stretch(start, size)), ctypes.byref(pages), 0) != 0:
        return None
    return bool(pages.in_memory > (start + size - 1) // PAGESIZE - start // PAGESIZE)
