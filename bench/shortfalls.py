"""Why a target may be missed, as the profile tells it: printed beside a miss, so that nobody has to guess twice."""

# By the beginning of a row's name, the longer first: what was found there.
_REASONS = {
    "round trips, 1 MiB": """nearly all of it is the kernel copying from the socket and into new pages of the file, as on
        the floor; Snakka adds the checksum (25 to 60 us) and, in a thread, the writing back of every 8 MiB to the disk,
        which takes a quarter of its CPU here and which the floor leaves to the kernel for later""",
    "round trips, 16 KiB": """about 15 us of Python in a warm loop, twice that where the loop slept before it; and, in a
        thread, every 8 MiB are written back to the disk, which the floor leaves to the kernel for later""",
    "round trips": """a produce is about 14 us of Python in a warm loop, spread over some 60 calls of which none stands out,
        and about twice that where the loop slept before it, because caches and branch predictors are cold then""",
    "produce,": """the client is the limit: librdkafka's threads are busy all the time while the broker is idle for most
        of it, so that the ratio is near 1 and moves with whatever else runs on these cores""",
    "consume,": """the client is the limit: one fetch is under way at a time, and the broker waits for the next one for
        most of the time; of what it does, four fifths is the kernel's work between page cache and socket""",
    "offset commits": """a commit costs the broker about 100 us of processor time in all, so 5,000 a second are half a core;
        where other work keeps both cores busy there is less than that left""",
    "Spark reads all columns": """our connector adds a broker, a second socket, checksum and decoding to what the JVM does
        with rows from Python, on the two cores that the JVM needs too, as the figures in brackets show""",
    "log files instead": """both readers end in the same way: the JVM receives columns from Python and makes rows of them,
        which for small records is most of the work. What log files save is the broker's part and the receiving, while
        checksum, decoding and the copy into columns remain, as the figures in brackets show. The faster our connector
        is, the less there is to save: beside Spark's connector see above""",
    "Spark micro-batch": """a task in Python is started through a socket: beside reading a thousand rows, which takes
        some 4 ms, the function, its arguments and the partition must reach Spark's worker""",
    "Spark ": """the readers share the cores with the broker: other work on them tells on whichever needs more processes""",
    "process start": """imports: of 0.2 s of CPU the interpreter and asyncio take 0.06 s and our 260 modules 0.11 s, a
        third of that for the methods that dataclasses generate; other work on the cores stretches it""",
}
_UNKNOWN = "not seen before: run it again on a quiet machine, then look with py-spy"


def reason_for(what: str) -> str:
    for beginning, reason in _REASONS.items():
        if what.startswith(beginning):
            return " ".join(reason.split())
    return _UNKNOWN
