"""Which file gives its descriptor back."""

from snakka.storage.open_files import OpenFiles


class FakeFile:
    def __init__(self) -> None:
        self.recently_used = False
        self.is_open = True

    def release(self) -> None:
        self.is_open = False


def test_a_file_that_was_used_gets_a_second_chance() -> None:
    open_files = OpenFiles(2)
    used, unused, third = FakeFile(), FakeFile(), FakeFile()
    open_files.add(used)
    open_files.add(unused)
    unused.recently_used = False
    open_files.add(third)
    assert [file.is_open for file in (used, unused, third)] == [True, False, True]
    assert len(open_files) == 2


def test_when_all_were_used_the_oldest_goes() -> None:
    open_files = OpenFiles(2)
    opened = [FakeFile() for _ in range(3)]
    for file in opened:
        open_files.add(file)
    assert [file.is_open for file in opened] == [False, True, True]


def test_a_closed_file_makes_room() -> None:
    open_files = OpenFiles(1)
    first, second = FakeFile(), FakeFile()
    open_files.add(first)
    open_files.discard(first)
    open_files.discard(first)
    open_files.add(second)
    assert first.is_open
    assert len(open_files) == 1
