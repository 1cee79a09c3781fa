"""Tables and plots of characters, for a terminal.

Rule: pure: numbers in, lines out. Colours are for terminals, block characters for those that can show them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

_BLOCKS = " ▁▂▃▄▅▆▇█"
_ASCII_BLOCKS = " .:-=+*#@"
_RESET = "\x1b[0m"
_CODES = {"bold": "\x1b[1m", "dim": "\x1b[2m", "green": "\x1b[32m", "cyan": "\x1b[36m", "red": "\x1b[31m"}


@dataclass(frozen=True)
class Style:
    """What the place that we write to can show."""

    colours: bool = False
    unicode: bool = True

    def paint(self, text: str, colour: str) -> str:
        return f"{_CODES[colour]}{text}{_RESET}" if self.colours else text

    @property
    def blocks(self) -> str:
        return _BLOCKS if self.unicode else _ASCII_BLOCKS

    @property
    def line(self) -> str:
        return "─" if self.unicode else "-"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], style: Style) -> list[str]:
    """The first column is left-aligned, the others, which are figures, right-aligned."""
    widths = [max(len(row[place]) for row in (head, *rows)) for place in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        first = cells[0].ljust(widths[0])
        return "  ".join(
            [first, *(cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True))]
        )

    rule = "  ".join(style.line * width for width in widths)
    return [
        style.paint(line(head).rstrip(), "bold"),
        style.paint(rule, "dim"),
        *(line(row).rstrip() for row in rows),
    ]


def bar(share: float, width: int, style: Style) -> str:
    """A bar of that share of the width; what is not nothing shows."""
    full = style.blocks[-1]
    length = round(max(0.0, min(1.0, share)) * width)
    return (full * max(length, 1 if share > 0 else 0)).ljust(width)


def plot(values: Sequence[float], labels: Sequence[str], height: int, style: Style) -> list[str]:
    """A column for each value; `labels` stand under the columns where they begin, "" for none."""
    top = max(values, default=0.0) or 1.0
    steps = len(style.blocks) - 1
    lines = []
    axis = [_short(top * (row + 1) / height) for row in range(height)]
    margin = max(len(text) for text in axis)
    for row in reversed(range(height)):
        cells = []
        for value in values:
            filled = value / top * height - row
            level = 0 if filled <= 0 else steps if filled >= 1 else max(1, round(filled * steps))
            cells.append(style.blocks[level])
        text = axis[row] if row in (height - 1, height // 2 - 1) else ""
        lines.append(f"{style.paint(text.rjust(margin), 'dim')} {style.paint(''.join(cells), 'cyan')}")
    lines.append(" " * (margin + 1) + style.paint(style.line * len(values), "dim"))
    lines.append(" " * (margin + 1) + style.paint(_label_line(labels), "dim"))
    return [line.rstrip() for line in lines]


def _label_line(labels: Sequence[str]) -> str:
    text = ""
    for place, label in enumerate(labels):
        if label and len(text) <= place:
            text = text.ljust(place) + label + " "
    return text.rstrip()


def _short(value: float) -> str:
    if value >= 1_000_000:
        return f"{value / 1_000_000:.1f} M"
    if value >= 10_000:
        return f"{value / 1000:.0f} k"
    return f"{value / 1000:.1f} k" if value >= 1000 else f"{value:.0f}"
