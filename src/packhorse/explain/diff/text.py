"""A difference of two packets for people: most important first, at most 100 columns."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from packhorse.packet.explanation import WIDTH
from packhorse.text.printable import printable

if TYPE_CHECKING:
    from packhorse.explain.diff.changed_inputs import ChangedInput
    from packhorse.explain.diff.difference import ChunkDifference, Difference, Line, Place

__all__ = ["difference_text", "headline", "shown_change"]

_MOST_INPUTS = 16
_MOST_CHUNKS = 12
_MOST_SCORES = 6
_MOST_LINES = 12
_WIDEST_NAME = 28
_LONGEST_VALUE = 44
_DECIMALS = 6
_DIGITS = 12
"""Of a hash."""

_HASH = re.compile("[0-9a-f]{64}")


def headline(found: Difference) -> str:
    """One line: whether they are the same, else what counts, in numbers."""
    if found.identical:
        return f"Same packet: {found.packet_hashes[0][:12]}"
    if found.same:
        return f"Same, but for what was not compared: {', '.join(found.not_compared)}"
    counts = (
        ("selection", f"{len(found.entered)} entered, {len(found.left)} left"),
        ("positions", f"{len(found.moved)} moved"),
        ("scores", f"{len(found.rescored)} re-scored"),
    )
    told = [text for section, text in counts if section in found.differs]
    if not told:
        told = [", ".join(found.differs)]
    if not {"selection", "positions"} & {*found.differs, *found.not_compared}:
        told.insert(0, f"the same {found.n_packed[0]} chunks in the same order")
    return f"Different: {'; '.join(told)}"


def difference_text(found: Difference) -> str:
    """Everything that differs, long lists cut."""
    return "\n".join(_lines(found))


def _lines(found: Difference) -> Iterator[str]:
    yield from _wrapped(f"[{'PASS' if found.same else 'WARN'}] {headline(found)}", "", "  ")
    if found.identical:
        return
    if not found.same:
        yield from _wrapped(f"[INFO] Differing: {', '.join(found.differs)}", "", "  ")
    if found.not_compared and not found.same:
        skipped = f"Not compared, and different: {', '.join(found.not_compared)}"
        yield from _wrapped(f"[INFO] {skipped}", "", "  ")
    if found.note:
        yield from _wrapped(f"[INFO] {found.note}", "", "  ")
    yield from _inputs(found.inputs, is_attributed=not found.note)
    if found.entered or found.left:
        cause = f", because of {found.selection}" if found.selection else ""
        yield from _wrapped(f"selection{cause}", "", "  ")
        told = partial(_selected, known=str(found.selection))
        yield from _capped([*found.entered, *found.left], _MOST_CHUNKS, told)
    moved = found.moved
    if moved:
        yield "positions"
        yield from _capped(moved, _MOST_CHUNKS, _moved)
    yield from _sections(found, ("text", "checks", "coverage", "conflicts"))
    yield from _others(found)
    yield from _sections(found, ("ledger", "packing", "other"))


def _sections(found: Difference, names: Sequence[str]) -> Iterator[str]:
    for section in names:
        lines = found.lines.get(section)
        if not lines:
            continue
        if section == "text":
            yield from _text(lines)
            continue
        yield section
        width = _width([line.name for line in lines])
        told = _check if section in {"checks", "conflicts"} else _line
        yield from _capped(lines, _MOST_LINES, partial(told, width=width))


def _inputs(inputs: Sequence[ChangedInput], *, is_attributed: bool) -> Iterator[str]:
    if not inputs:
        return
    yield "inputs"
    width = _width([each.key for each in inputs])

    def told(each: ChangedInput) -> Iterator[str]:
        name = f"{printable(each.key):<{width}}"
        detail = f" ({each.detail})" if each.detail else ""
        effect = _effect(each) if is_attributed else ""
        change = f"{shown_change(each.was, each.now)}{detail}{effect}"
        yield from _wrapped(f"{name}  {change}", "  ", " " * 6)

    yield from _capped(inputs, _MOST_INPUTS, told)


def _effect(changed: ChangedInput) -> str:
    effect = changed.effect
    if effect is None:
        return "; no part in selecting"
    names = [name for name in effect.switched_with if name != changed.key]
    alone = f"with {_listed(names)}" if names else "alone"
    if not effect.entered and not effect.left:
        return f"; {alone}: the same chunks"
    return f"; {alone}: {len(effect.entered)} in, {len(effect.left)} out"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"  # noqa: PLR2004 - one line


def _selected(each: ChunkDifference, known: str) -> Iterator[str]:
    mark = "+" if each.entered else "-"
    yield from _wrapped(f"{mark} {each.chunk_id}", "  ", " " * 6)
    for name, place in (("was", each.was), ("now", each.now)):
        yield from _wrapped(f"{name} {_standing(place)}", "      ", " " * 10)
    # What the heading says already is not said again.
    if each.because is not None and str(each.because) != known:
        yield from _wrapped(f"because of {each.because}", "      ", " " * 10)


def _standing(place: Place | None) -> str:
    if place is None:
        return "no candidate"
    told = [place.reason if place.position is None else f"[{place.position}] {place.reason}"]
    # Where the reason tells the score already, it is not told again.
    if place.score is not None and f"{place.score:.6f}" not in place.reason:
        told.append(f"score {place.score:.6f}")
    if place.rank is not None and "rank " not in place.reason:
        told.append(f"rank {place.rank}")
    if "needed" not in place.reason:
        told.append(f"{place.tokens} tokens")
    return ", ".join(told)


def _moved(each: ChunkDifference) -> Iterator[str]:
    if each.was is None or each.now is None:
        return
    ranks = ""
    if each.was.rank != each.now.rank:
        ranks = f", rank {_number(each.was.rank)} -> {_number(each.now.rank)}"
    cause = f", because of {each.because}" if each.because else ""
    positions = f"[{each.was.position}] -> [{each.now.position}]"
    yield from _wrapped(f"~ {each.chunk_id}  {positions}{ranks}{cause}", "  ", " " * 6)


def _others(found: Difference) -> Iterator[str]:
    both = [each for each in found.chunks if not (each.entered or each.left)]
    for section, told in (("reasons", _reason), ("pool", _pooled)):
        listed = [each for each in both if section in each.sections]
        if listed:
            yield section
            yield from _capped(listed, _MOST_SCORES, told)
    ranked = [each for each in both if "ranks" in each.sections and not each.moved]
    if ranked:
        yield f"ranks  {len(ranked)} more candidates"
    if found.rescored:
        yield "scores"
        by_size = sorted(found.rescored, key=lambda each: (-_shift(each), each.chunk_id))
        yield from _capped(by_size, _MOST_SCORES, _scored)
    counted = [each for each in found.chunks if "tokens" in each.sections]
    if counted:
        yield "tokens"
        yield from _capped(counted, _MOST_SCORES, _counted)


def _reason(each: ChunkDifference) -> Iterator[str]:
    if each.was is not None and each.now is not None:
        change = f"{each.was.reason} -> {each.now.reason}"
        yield from _wrapped(f"{each.chunk_id}  {change}{_cause(each, 'reasons')}", "  ", " " * 6)


def _pooled(each: ChunkDifference) -> Iterator[str]:
    place = each.now or each.was
    came = "is a candidate now" if each.now else "is no candidate any more"
    reason = f" ({place.reason})" if place else ""
    yield from _wrapped(f"{each.chunk_id}  {came}{reason}{_cause(each, 'pool')}", "  ", " " * 6)


def _cause(each: ChunkDifference, section: str) -> str:
    if each.because is None or each.sections[0] != section:
        return ""
    return f", because of {each.because}"


def _shift(each: ChunkDifference) -> float:
    scores = [None if place is None else place.score for place in (each.was, each.now)]
    was, now = scores
    return 1.0 if was is None or now is None else round(abs(now - was), _DECIMALS)


def _scored(each: ChunkDifference) -> Iterator[str]:
    if each.was is None or each.now is None:
        return
    signals = [
        f"{name} {_number(was)} -> {_number(now)}"
        for name, was in each.was.signals.items()
        if was != (now := each.now.signals[name])
    ]
    score = f"{_number(each.was.score)} -> {_number(each.now.score)}"
    beside = f": {', '.join(signals)}" if signals else ""
    yield from _wrapped(f"{each.chunk_id}  {score}{beside}", "  ", " " * 6)


def _counted(each: ChunkDifference) -> Iterator[str]:
    if each.was is None or each.now is None:
        return
    blocks = f"{each.was.tokens} -> {each.now.tokens}"
    texts = f", text {each.was.text_tokens} -> {each.now.text_tokens}"
    same_text = each.was.text_tokens == each.now.text_tokens
    yield from _wrapped(f"{each.chunk_id}  {blocks}{'' if same_text else texts}", "  ", " " * 6)


def _text(lines: Sequence[Line]) -> Iterator[str]:
    told = [
        f"{line.name} {shown_change(line.was, line.now)}" for line in lines if line.name != "notice"
    ]
    yield from _wrapped(f"text  {', '.join(told) or 'notice'}", "", "  ")


def _check(line: Line, width: int) -> Iterator[str]:
    name, was, now = (printable(str(each or "none")) for each in (line.name, line.was, line.now))
    (level, _, detail), (level_now, _, detail_now) = was.partition(": "), now.partition(": ")
    if level == level_now:
        was, now = detail, f"{detail_now} ({level})" if detail_now else level
    yield from _wrapped(f"{name:<{width}}  {was} -> {now}", "  ", " " * 6)


def _line(line: Line, width: int) -> Iterator[str]:
    name = f"{printable(line.name):<{width}}"
    yield from _wrapped(f"{name}  {shown_change(line.was, line.now)}", "  ", " " * 6)


# ------------------------------------------------------------------------------------ values


def shown_change(was: Any, now: Any) -> str:
    """A change in few words: of lists and mappings what came and what went."""
    if isinstance(was, (list, tuple)) and isinstance(now, (list, tuple)):
        told = [f"+{_value(each)}" for each in now if each not in was]
        told += [f"-{_value(each)}" for each in was if each not in now]
        return _listed(told) if told else "another order"
    if isinstance(was, Mapping) and isinstance(now, Mapping):
        keys = [key for key in sorted({*was, *now}) if was.get(key) != now.get(key)]
        return _listed([f"{key} {_value(was.get(key))} -> {_value(now.get(key))}" for key in keys])
    if (
        isinstance(was, str)
        and isinstance(now, str)
        and not _HASH.fullmatch(was)
        and max(len(was), len(now)) > _LONGEST_VALUE
    ):
        start = _first_difference(was, now)
        return f"{_value(was, start)} -> {_value(now, start)}"
    return f"{_value(was)} -> {_value(now)}"


def _first_difference(was: str, now: str) -> int:
    """Where to begin showing two long texts, so that what differs is seen."""
    same = next(
        (at for at, (one, two) in enumerate(zip(was, now, strict=False)) if one != two),
        min(len(was), len(now)),
    )
    return max(0, same - _LONGEST_VALUE // 3)


def _value(value: Any, start: int = 0) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return _number(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if _HASH.fullmatch(text):
        return text[:_DIGITS]
    cut = text[start : start + _LONGEST_VALUE]
    before = "..." if start else ""
    return f"{before}{cut}{'...' if start + _LONGEST_VALUE < len(text) else ''}" or '""'


def _number(value: float | None) -> str:
    if value is None:
        return "none"
    return str(value) if isinstance(value, int) else f"{round(value, _DECIMALS):.10g}"


def _width(names: Sequence[str]) -> int:
    return min(_WIDEST_NAME, max(len(printable(name)) for name in names))


def _capped(items: Sequence[Any], most: int, told: Any) -> Iterator[str]:
    for item in items[:most]:
        yield from told(item)
    if len(items) > most:
        yield f"  and {len(items) - most} more (--json has all)"


def _wrapped(text: str, first: str, rest: str) -> Iterator[str]:
    """Lines of at most 100 columns, spaces as they are; a word that is longer stays whole."""
    yield from textwrap.wrap(
        printable(text),
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
