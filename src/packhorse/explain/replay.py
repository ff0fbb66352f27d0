"""Makes a packet again from what it records, and compares the two byte for byte."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packhorse.assemble import Asked, assemble_packet, cached_counter
from packhorse.errors import ConfigError, PackhorseError
from packhorse.explain.moved import FILES, Corpus, corpus_since, moved_since
from packhorse.explain.recorded import entries_of, query_of
from packhorse.explain.recorded_choices import recorded_pools
from packhorse.explain.recorded_judge import recorded_judge
from packhorse.explain.recorded_notes import asked_sections
from packhorse.explain.replayed_kb import ReplayedKnowledgeBase, attached_chunks
from packhorse.packet.canonical import identify, pretty_json
from packhorse.profiles.profile import GONE, profile_of_packet
from packhorse.render.messages import read_messages
from packhorse.text.printable import printable
from packhorse.tokens.models.table import model_table
from packhorse.types.message import Message
from packhorse.window.history import FittedHistory, HistorySummary

if TYPE_CHECKING:
    from packhorse.protocols import KnowledgeBase
    from packhorse.tokens.models.table import ModelTable
    from packhorse.types.arrays import FloatArray

__all__ = ["Difference", "Replay", "replayed"]

Document = Mapping[str, Any]

CONSEQUENCES = ("packet_hash", "trace_id")
"""Made of all the rest: never worth naming as the first difference."""

ADDED = (
    ("query_type_by",),
    ("coverage", "found_by"),
    ("similarities",),
    ("copies",),
    ("made_with",),
    ("packing", "attached"),
    ("packing", "room"),
)
"""Fields that packets of earlier versions do not have."""


ADDED_TO_CANDIDATES: Mapping[str, tuple[str, ...]] = {
    "packing_tokens": ("packing_tokens",),
    "relevance_parts": ("relevance_parts", "named_as", "followed_from"),
}
"""Field by which a version's candidates are known -> all that came with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The first place at which two packets are not the same, in the order of keys."""

    path: str
    """For example `packed_chunks[0].score`."""
    was: Any
    """What the packet has; None where it has nothing there."""
    now: Any
    """What comes out now; None where nothing does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What making a packet again gave. `str()` of it is for people."""

    same: bool
    """Byte for byte."""
    n_bytes: int
    """Of the packet."""
    difference: Difference | None
    """None when they are the same, and when none could be made."""
    error: str
    """Why none could be made; empty when one was."""
    hint: str
    """What to do about `error`; empty for nothing."""
    corpus: Corpus
    moved: tuple[str, ...]
    """What is not as it was besides the corpus: a sentence each, sorted by what it is about."""
    missing: tuple[str, ...]
    """What the packet does not hold, and how the replay did without it: a sentence each."""
    document: Document | None = field(default=None, repr=False)
    """The packet as it comes out now."""

    def __str__(self) -> str:
        return "\n".join(f"[{level}] {printable(text)}" for level, text in self.lines())

    def lines(self) -> Iterator[tuple[str, str]]:
        """(level, text), the outcome first."""
        if self.same:
            yield "PASS", f"Replayed: the same {self.n_bytes} bytes"
        elif self.error:
            yield "WARN", f"Cannot be made again: {self.error}"
        elif self.difference is not None:
            told = self.difference
            yield "WARN", f"Different: {told.path} was {_shown(told.was)}, is {_shown(told.now)}"
        for text in self.corpus.sentences():
            yield "INFO", text
        for text in (*self.moved, *self.missing):
            yield "INFO", text
        if self.hint:
            yield "HINT", self.hint

    def to_dict(self) -> dict[str, Any]:
        """Plain data, without the packet that came out."""
        return {name: value for name, value in asdict(self).items() if name != "document"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _RecordedHistory(FittedHistory):
    """A conversation of which the packet holds what was kept, and how much was left out."""

    recorded_reason: str

    @property
    def reason(self) -> str:
        return self.recorded_reason


def replayed(
    document: Document,
    kb: KnowledgeBase | str | Path,
    models: str | Path | Sequence[str | Path] = (),
) -> Replay:
    """Runs the pipeline again on what a packet records, over `kb` as it is now.

    Settings, question, day, vectors, pins, attachments, policy and conversation come from the
    packet; chunks, the model table and the code are those of today.

    Args:
        document: the packet.
        kb: what it was packed from.
        models: the file of models of one's own that it was packed with, or several.

    Raises:
        StoreError: `kb` cannot be opened.
        InputError: a file of models cannot be read.
        ConfigError: something in it cannot be used.
    """
    table = model_table(models)
    with ExitStack() as stack:
        if isinstance(kb, (str, Path)):
            from packhorse.indexing.open import open_kb

            kb = stack.enter_context(closing(open_kb(kb)))
        then = ReplayedKnowledgeBase(kb, document)
        error, hint, again = "", "", None
        try:
            again = _made_again(document, then, table)
        except PackhorseError as failure:
            error, hint = failure.message, failure.hint
        corpus = corpus_since(document, then, again)
        moved = tuple(moved_since(document, kb, again))
    recorded = pretty_json(dict(document)).encode()
    comparable = None if again is None else _comparable(document, again)
    same = comparable is not None and pretty_json(comparable).encode() == recorded
    return Replay(
        same=same,
        n_bytes=len(recorded),
        difference=None
        if same or comparable is None
        else next(_differences(dict(document), comparable), None),
        error=error,
        hint=hint,
        corpus=corpus,
        moved=moved,
        missing=tuple(_missing(document)),
        document=again,
    )


def _made_again(
    document: Document, kb: ReplayedKnowledgeBase, models: ModelTable
) -> dict[str, Any]:
    query = query_of(document)
    direction: Future[FloatArray | None] = Future()
    direction.set_result(query.vector)
    history = document["history"]
    kept = read_messages(document["request"]["history"])
    fitted = None
    if history["dropped"]:
        fitted = _RecordedHistory(
            kept=kept,
            # Only their number is recorded.
            dropped=(Message(role="user"),) * history["dropped"],
            tokens=0,
            dropped_tokens=history["dropped_tokens"],
            turns=history["dropped_turns"],
            dropped_turns=history["dropped_turns"],
            recorded_reason=history["reason"],
            summary=HistorySummary.recorded(history["summary"]) if "summary" in history else None,
        )
    profile = profile_of_packet(document)
    spec = models.spec(profile.request.model)
    asked = Asked(
        budget=document["budget"]["evidence_budget"],
        pin=tuple(document["packing"]["pinned"]),
        attached=attached_chunks(document),
        history=kept,
        fitted=fitted,
        models=models,
        judge=recorded_judge(document),
        asked_sections=asked_sections(document),
        pools=recorded_pools(document, spec, cached_counter(spec)),
    )
    if profile.request.counting == "provider":
        raise ConfigError(
            f"{document['tokenizer']['library']} counted it, and a replay asks no provider",
            hint="Pack the question again, with the provider counting, and compare the two packets",
        )
    return dict(assemble_packet(query, kb, profile, asked, direction).to_dict())


def _comparable(document: Document, again: Mapping[str, Any]) -> dict[str, Any]:
    """What came out, without fields that the packet is too old for, under its own versions.

    A file of the user's that says the same may lie elsewhere by now.
    """
    made = copy.deepcopy(dict(again))
    for path in ADDED:
        there, here = document, made
        for key in path[:-1]:
            there, here = there[key], here[key]
        if path[-1] not in there:
            here.pop(path[-1], None)
    _leave_out_later_fields(made, document)
    made["profile"] = {
        key: _known_then(value, document["profile"][key])
        for key, value in made["profile"].items()
        if key in document["profile"]
    }
    made["profile"] |= {key: document["profile"][key] for key in _gone(document)}
    for name in FILES:
        there, here = document["tokenizer"].get(name), made["tokenizer"].get(name)
        if there and here and there["sha256"] == here["sha256"]:
            here["path"] = there["path"]
    if document.get("made_with") is not None and made.get("made_with") is not None:
        made["made_with"] = dict(document["made_with"])
    for name in CONSEQUENCES:
        made.pop(name)
    identify(made)
    return made


def _known_then(now: Any, then: Any) -> Any:
    """A setting without the fields that the packet is too old for, such as those of a type."""
    if not (isinstance(now, dict) and isinstance(then, dict)):
        return now
    return {
        key: {field: each for field, each in value.items() if field in then[key]}
        if isinstance(value, dict) and isinstance(then.get(key), dict)
        else value
        for key, value in now.items()
    }


def _leave_out_later_fields(made: dict[str, Any], document: Document) -> None:
    """Takes fields of candidates out of `made` that came up after `document` was written."""
    entries: list[dict[str, Any]] = [*made["packed_chunks"], *made["excluded_chunks"]]
    for mark, names in ADDED_TO_CANDIDATES.items():
        if any(mark in entry for entry in entries_of(document)):
            continue
        for entry in entries:
            for name in names:
                entry.pop(name, None)


def _differences(was: Any, now: Any, path: str = "") -> Iterator[Difference]:
    """Every place at which two values are not the same, consequences last."""
    if isinstance(was, dict) and isinstance(now, dict):
        keys = sorted({*was, *now}, key=lambda key: (not path and key in CONSEQUENCES, key))
        for key in keys:
            yield from _differences(was.get(key), now.get(key), f"{path}.{key}" if path else key)
    elif isinstance(was, list) and isinstance(now, list):
        for place in range(max(len(was), len(now))):
            old = was[place] if place < len(was) else None
            new = now[place] if place < len(now) else None
            yield from _differences(old, new, f"{path}[{place}]")
    elif was != now or type(was) is not type(now):
        yield Difference(path=path, was=was, now=now)


def _missing(document: Document) -> Iterator[str]:
    n_dropped = document["history"]["dropped"]
    if n_dropped:
        yield (
            f"The {n_dropped} messages that did not fit are not in the packet: the conversation is"
            " taken as it was cut then"
        )
    for key, name in (("memory", "notes"), ("examples", "examples"), ("tools", "tools")):
        given = document.get(key, {name: ()})[name]
        n_left_out = sum(not entry["included"] for entry in given)
        if n_left_out:
            yield (
                f"The texts of {n_left_out} {name} that are not in are not in the packet: {name}"
                " are taken as they were chosen then"
            )
    hashes = {entry["chunk_id"]: entry["content_hash"] for entry in entries_of(document)}
    for chunk in attached_chunks(document):
        if chunk.content_hash() != hashes[chunk.chunk_id]:
            yield f"{chunk.chunk_id} had more to it than the packet holds"
    absent = [".".join(path) for path in ADDED if _lacks(document, path)]
    if absent:
        yield f"The packet is of an earlier version, without {', '.join(absent)}: not compared"
    gone = _gone(document)
    if gone:
        yield f"Settings of an earlier version decide nothing any more: {', '.join(gone)}"


def _gone(document: Document) -> list[str]:
    return sorted(GONE & document["profile"].keys())


def _lacks(document: Document, path: tuple[str, ...]) -> bool:
    holder: Any = document
    for key in path[:-1]:
        holder = holder[key]
    return path[-1] not in holder


def _shown(value: Any) -> str:
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= 200 else f"{text[:197]}..."  # noqa: PLR2004 - one line for people
