"""A disk in memory that forgets what was not synced, and that can die at any of its syncs.

Names and contents are separate things, as on a real file system: a file's bytes survive when the file was synced, its name
(new, changed or gone) when its directory was.
"""

import os
import random
from collections.abc import Callable

from snakka.protocol.file_region import FileRegion, MemoryRegion
from snakka.storage.files import Bytes, DiskSpace, Lock, StorageFailure


class PowerLoss(StorageFailure):
    """The machine stopped in the middle of something."""

    def __init__(self) -> None:
        super().__init__("/", "/", "anything", OSError("the power is off"))


class _Content:
    def __init__(self, data: bytes = b"") -> None:
        self.data = bytearray(data)
        self.synced = bytes(data)


class MemoryFile:
    def __init__(self, disk: "SimulatedDisk", path: str, content: _Content) -> None:
        self._disk = disk
        self._content = content
        self.path = path
        self.size = len(content.data)

    def append(self, data: Bytes) -> None:
        self._disk.check_power()
        del self._content.data[self.size :]
        self._content.data += data
        self.size += len(data)

    def pread(self, offset: int, size: int) -> bytes:
        return bytes(self._content.data[offset : min(offset + size, self.size)])

    def truncate(self, size: int) -> None:
        self._disk.check_power()
        del self._content.data[size:]
        self.size = size

    def preallocate(self, size: int) -> None: ...

    def sync(self) -> None:
        self.prepare_sync()()

    def prepare_sync(self) -> Callable[[], None]:
        return lambda: self._disk.sync_content(self._content)

    def region(self, start: int, end: int, *, in_memory: bool = False) -> FileRegion:
        return MemoryRegion(bytes(self._content.data[start:end]))

    def renamed(self, path: str) -> None:
        self.path = path

    def close(self) -> None: ...


class _Lock:
    def release(self) -> None: ...


class SimulatedDisk:
    """Files in memory. `dies_at_sync` is the number of the sync, from 0, at which the power goes."""

    def __init__(self, *, dies_at_sync: int | None = None, keeps_last_sync: bool = False) -> None:
        self.syncs = 0
        self.before_sync: Callable[[], None] = lambda: None
        self.dies_at_sync = dies_at_sync
        self._keeps_last_sync = keeps_last_sync
        self._dead = False
        self._names: dict[str, _Content] = {}
        self._durable_names: dict[str, _Content] = {}
        self._directories = {"/"}

    def after_power_loss(self, luck: random.Random | None = None) -> "SimulatedDisk":
        """The disk as the next start finds it: what was synced, and with `luck` some of what was not."""
        survivor = SimulatedDisk()
        names = dict(self._durable_names)
        if luck is not None:
            for path in sorted(self._names.keys() | self._durable_names.keys()):
                if luck.random() < 0.5:
                    names.pop(path, None)
                    if path in self._names:
                        names[path] = self._names[path]
        for path, content in names.items():
            data = content.synced
            if luck is not None and content.data.startswith(data):
                data = bytes(content.data[: luck.randint(len(data), len(content.data))])
            survivor._names[path] = survivor._durable_names[path] = _Content(data)
        survivor._directories = set(self._directories)
        return survivor

    def cut_power(self) -> None:
        self._dead = True

    def check_power(self) -> None:
        if self._dead:
            raise PowerLoss

    def _count_sync(self, take_effect: Callable[[], None]) -> None:
        self.check_power()
        self.before_sync()
        self._dead = self.syncs == self.dies_at_sync
        self.syncs += 1
        if not self._dead or self._keeps_last_sync:
            take_effect()
        self.check_power()

    def sync_content(self, content: _Content) -> None:
        def keep() -> None:
            content.synced = bytes(content.data)

        self._count_sync(keep)

    def sync_file(self, path: str) -> None:
        if path in self._names:
            self.sync_content(self._names[path])

    def sync_directory(self, path: str) -> None:
        def keep() -> None:
            for known in [name for name in self._durable_names if os.path.dirname(name) == path]:
                del self._durable_names[known]
            for name, content in self._names.items():
                if os.path.dirname(name) == path:
                    self._durable_names[name] = content

        self._count_sync(keep)

    def open(self, path: str, *, create: bool = False, size: int | None = None) -> MemoryFile:
        if create:
            self.check_power()
            self._names[path] = _Content()
        elif path not in self._names:
            raise FileNotFoundError(path)
        return MemoryFile(self, path, self._names[path])

    def exists(self, path: str) -> bool:
        return path in self._names or path in self._directories

    def list(self, directory: str) -> list[str]:
        if directory not in self._directories:
            raise FileNotFoundError(directory)
        below = [*self._names, *self._directories]
        return sorted(
            os.path.basename(path) for path in below if os.path.dirname(path) == directory and path != "/"
        )

    def sizes(self, directory: str) -> dict[str, int]:
        return {
            os.path.basename(path): len(content.data)
            for path, content in sorted(self._names.items())
            if os.path.dirname(path) == directory
        }

    def is_directory(self, path: str) -> bool:
        return path in self._directories

    def make_directory(self, path: str) -> None:
        self.check_power()
        while path not in self._directories:
            self._directories.add(path)
            path = os.path.dirname(path)

    def read(self, path: str) -> bytes:
        return self.open(path).pread(0, 1 << 30)

    def replace(self, path: str, data: bytes, *, sync: bool = True) -> None:
        self.check_power()
        content = _Content()
        content.data += data
        self._names[path + ".tmp"] = content
        if sync:
            self.sync_content(content)
        self.rename(path + ".tmp", path)
        if sync:
            self.sync_directory(os.path.dirname(path))

    def remove(self, path: str) -> None:
        self.check_power()
        self._names.pop(path, None)

    def remove_tree(self, path: str) -> None:
        self.check_power()
        for name in [name for name in self._names if name.startswith(path + "/")]:
            del self._names[name]

    def rename(self, source: str, target: str) -> None:
        self.check_power()
        self._names[target] = self._names.pop(source)

    def modified_ms(self, path: str) -> int:
        return 0

    def disk_space(self, path: str) -> DiskSpace:
        return DiskSpace(1 << 40, 1 << 40)

    def lock(self, path: str) -> Lock:
        return _Lock()
