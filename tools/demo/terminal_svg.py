#!/usr/bin/env python3
"""Draws a terminal's screen, as `tmux capture-pane -p -e` prints it, as an SVG.

Usage: terminal_svg.py TITLE <SCREEN
"""
import html
import re
import sys

COLOURS = ["#2e3436", "#ef4444", "#22c55e", "#eab308", "#3b82f6", "#c026d3", "#06b6d4", "#e5e7eb"]
INK, PAPER, FAINT = "#e5e7eb", "#111827", "#9ca3af"
FONTS = "ui-monospace, DejaVu Sans Mono, Menlo, Consolas, monospace"
WIDE, HIGH, LEFT, TOP = 8.4, 18, 14, 36


class Pen:
    """The colours and the weight of what comes next."""

    def __init__(self):
        self.ink, self.ground, self.style = INK, None, ""

    def take(self, number):
        if number == 0:
            self.__init__()
        elif number == 1:
            self.style = ' font-weight="bold"'
        elif number == 2:
            self.ink = FAINT
        elif number == 7:
            self.ink, self.ground = PAPER, INK
        elif number == 27:
            self.ink, self.ground = INK, None
        elif 30 <= number <= 37:
            self.ink = COLOURS[number - 30]
        elif number == 39:
            self.ink = INK
        elif 40 <= number <= 47:
            self.ground = COLOURS[number - 40]
        elif number == 100:
            self.ground = "#374151"
        elif number == 49:
            self.ground = None

    def draw(self, text, x, y):
        size = len(text) * WIDE
        if self.ground:
            yield (f'<rect x="{x:.1f}" y="{y - 13}" width="{size:.1f}" height="16" rx="3" fill="{self.ground}"/>')
        if text.strip():
            # Browsers would join ordinary spaces.
            shown = html.escape(text).replace(" ", "\u00a0")
            yield f'<text x="{x:.1f}" y="{y}" fill="{self.ink}"{self.style} textLength="{size:.1f}">{shown}</text>'


def svg(screen, title):
    lines = screen.rstrip("\n").split("\n")
    columns = max(len(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in lines)
    width, height = int(columns * WIDE + 2 * LEFT), len(lines) * HIGH + TOP + 12
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img">',
             f"<title>{html.escape(title)}</title>", f'<rect width="{width}" height="{height}" rx="8" fill="{PAPER}"/>']
    for place, colour in enumerate(["#ef4444", "#eab308", "#22c55e"]):
        parts.append(f'<circle cx="{18 + 16 * place}" cy="14" r="5" fill="{colour}"/>')
    parts.append(f'<g font-family="{FONTS}" font-size="14">')
    pen = Pen()
    for row, line in enumerate(lines):
        column = 0
        for part in re.split(r"(\x1b\[[0-9;]*m)", line):
            code = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
            if code:
                for number in code[1].split(";"):
                    pen.take(int(number or 0))
            elif part:
                parts += pen.draw(part, LEFT + column * WIDE, TOP + row * HIGH)
                column += len(part)
    return "\n".join([*parts, "</g></svg>", ""])


if __name__ == "__main__":
    sys.stdout.write(svg(sys.stdin.read(), sys.argv[1]))
