"""Compares what an LED did, as the kernel saw it, with the rhythm that the table in docs/panel.md draws."""
import os
import re

from .broker import ROOT
from .suite import require

CHARACTER_MS = 100
TOLERANCE_MS = 10


def table():
    """The drawings of docs/panel.md: {light: ([(is on, ms)], whether it repeats)}."""
    with open(os.path.join(ROOT, "docs/panel.md"), encoding="utf-8") as file:
        rows = re.findall(r"^\| `([a-z-]+)` \|[^|]*\| `([█▌·]+)( …)?` \|", file.read(), re.M)
    drawn = {}
    for light, drawing, more in rows:
        steps = []
        for character in drawing:
            half = CHARACTER_MS // 2
            parts = [(True, half), (False, half)] if character == "▌" else [(character == "█", CHARACTER_MS)]
            for is_on, ms in parts:
                if steps and steps[-1][0] == is_on:
                    steps[-1] = (is_on, steps[-1][1] + ms)
                else:
                    steps.append((is_on, ms))
        drawn[light] = (steps, bool(more))
    return drawn


def levels(changes):
    """The changes of level alone: [(time in s, is on)]."""
    kept = []
    for at, is_on in changes:
        if not kept or kept[-1][1] != is_on:
            kept.append((at, is_on))
    return kept


def intervals(changes):
    """The levels between the first and the last change, with their lengths: [(is on, ms)]."""
    kept = levels(changes)
    return [(is_on, (then - at) * 1000) for (at, is_on), (then, _) in zip(kept, kept[1:])]


def core(light):
    """A moment's drawing from its first flash to the end of its last: the dark around it cannot be seen."""
    steps, _ = table()[light]
    while steps and not steps[0][0]:
        steps = steps[1:]
    while steps and not steps[-1][0]:
        steps = steps[:-1]
    return steps


def worst(seen, drawn):
    """By how many ms the worst interval is off. Raises AssertionError when they are not the same flashes."""
    require([is_on for is_on, _ in seen] == [is_on for is_on, _ in drawn], f"seen {shape(seen)}, drawn {shape(drawn)}")
    return max(abs(found - wanted) for (_, found), (_, wanted) in zip(seen, drawn))


def shape(steps):
    return " ".join(f"{'on' if is_on else 'off'} {ms:.0f}" for is_on, ms in steps)


def find_moment(changes, light):
    """By how many ms the flashes of that moment were off, where they were played best.

    Raises AssertionError when they were not played: when each is more than half a step off, as another light's are.
    """
    seen, drawn = intervals(changes), core(light)
    best = None
    for start in range(len(seen) - len(drawn) + 1):
        piece = seen[start : start + len(drawn)]
        if [is_on for is_on, _ in piece] == [is_on for is_on, _ in drawn]:
            off = worst(piece, drawn)
            best = off if best is None else min(best, off)
    is_played = best is not None and best < min(ms for _, ms in drawn) / 2
    require(is_played, f"'{light}' is drawn {shape(drawn)}, seen was {shape(seen)}")
    return best


def cycles(changes, light, count):
    """Finds `count` whole rounds of a lasting rhythm. Returns when they began, and by how many ms each edge is off."""
    steps, repeats = table()[light]
    require(repeats and len(steps) > 1, f"'{light}' has no rhythm")
    kept = levels(changes)
    period = sum(ms for _, ms in steps)
    for start in range(len(kept)):
        if len(kept) - start < count * len(steps) or kept[start][1] != steps[0][0]:
            continue
        began, offs, due = kept[start][0], [], 0.0
        for index in range(count * len(steps)):
            at, is_on = kept[start + index]
            if is_on != steps[index % len(steps)][0]:
                break
            offs.append((at - began) * 1000 - due)
            due += steps[index % len(steps)][1]
        # Several places in a rhythm can look like its beginning; the right one is within half a step.
        if len(offs) == count * len(steps) and max(map(abs, offs)) < min(ms for _, ms in steps) / 2:
            return began, offs
    seen = shape(intervals(changes))
    raise AssertionError(f"'{light}' ({shape(steps)}, {period} ms) was not seen {count} times in {seen}")


def compare(changes, light, count, metronome):
    """Compares `count` rounds of a lasting rhythm with its drawing. Returns a remark, and by how many ms the kiosk was
    off at worst.

    `metronome` is the output of the probe in the guest: when a bare timer was late, and by how much. That part of the
    lateness is the machine's, not the kiosk's.
    """
    late = [tuple(map(float, line.split())) for line in metronome.splitlines()]
    began, offs = cycles(changes, light, count)
    times = [at for at, _ in levels(changes) if at >= began]
    own = []
    for at, off in zip(times, offs):
        first, last = at - abs(off) / 1000 - 0.02, at + 0.005
        machine = max((by for moment, by in late if first <= moment <= last), default=0) * 1000
        own.append(max(0, abs(off) - machine))
    said = (f"'{light}': {len(own)} edges at most {max(map(abs, offs)):.1f} ms off, "
            f"{max(own):.1f} ms without the machine's own lateness")
    return said, max(own)
