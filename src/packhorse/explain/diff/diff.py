"""Compares two packets, and finds which changed input moved which chunk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from packhorse.errors import InputError, PackhorseError
from packhorse.explain.diff.attribution import Attributions
from packhorse.explain.diff.changed_inputs import KINDS, ChangedInput, changed_inputs, settings_of
from packhorse.explain.diff.compared import compared_chunks, compared_lines
from packhorse.explain.diff.difference import SECTIONS, Difference
from packhorse.explain.recorded import recorded

if TYPE_CHECKING:
    from packhorse.explain.diff.attribution import Attribution
    from packhorse.explain.diff.difference import ChunkDifference
    from packhorse.protocols import KnowledgeBase

__all__ = ["MOST_CANDIDATES", "Compared", "diffed"]

Document = Mapping[str, Any]

MOST_CANDIDATES = 1024
"""Candidates of both packets up to which differences are attributed."""

_HEADS = (
    *("weights", "query_types", "topics", "policy", "chunks", "made_with", "tokenizer", "request"),
    *("profile", "kb"),
)
"""First parts of keys: each stands for all inputs under it."""

_KEYS = (
    *("searched", "query_vector", "require_topics", "pinned", "attached", "embedder"),
    *("profile.as_of", "profile.model", "profile.name", "kb.name", "kb.chunks"),
)
"""Inputs that are neither a kind of their own nor a setting."""

_FIELD_OF = {
    "positions": "position",
    "reasons": "code",
    "ranks": "rank",
    "scores": "score",
}
"""Section -> field of a `Standing` by which it is attributed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What counts as a difference."""

    only: Sequence[str] = ()
    """Sections; none for all of them."""
    ignore: Sequence[str] = ()
    """Sections, kinds of inputs, and inputs by name."""

    def counts(self, section: str) -> bool:
        """Whether a difference in the section counts."""
        return section not in self.ignore and (not self.only or section in self.only)

    def counts_input(self, changed: ChangedInput) -> bool:
        """Whether the input is none of those that are ignored."""
        head = changed.key.partition(".")[0].partition("[")[0]
        return not {changed.key, changed.kind, head} & set(self.ignore)

    def check(self, documents: Sequence[Document]) -> None:
        """Refuses names that nobody knows.

        Raises:
            InputError: names the nearest that is known.
        """
        settings = {key for document in documents for key in settings_of(document)}
        inputs = [*KINDS, *_HEADS, *_KEYS, *sorted(settings)]
        _refuse_unknown(self.only, SECTIONS, "section")
        known = [*SECTIONS, *inputs]
        _refuse_unknown(
            [each for each in self.ignore if not each.startswith(_PREFIXES)],
            known,
            "section or input",
        )


_PREFIXES = ("chunks[", "policy.", "made_with.", "tokenizer.", "request.")


def _refuse_unknown(names: Sequence[str], known: Sequence[str], what: str) -> None:
    from difflib import get_close_matches

    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            raise InputError(
                f"No {what} {name!r}",
                hint=f"Did you mean {near[0]}?"
                if near
                else f"Sections are {', '.join(SECTIONS)}; inputs are named as diff shows them",
            )


def diffed(
    a: Document,
    b: Document,
    kbs: tuple[KnowledgeBase | None, KnowledgeBase | None] = (None, None),
    *,
    only: Sequence[str] = (),
    ignore: Sequence[str] = (),
) -> Difference:
    """Two packets compared, differences attributed to the inputs that changed.

    Selection is run again up to some hundred times, with inputs of the one packet in the other.

    Args:
        a: a packet's document, the one before.
        b: the one after.
        kbs: what each was packed from; only needed above 256 candidates, where a packet does not
            hold all similarities.
        only: sections that count; none for all.
        ignore: sections and inputs that do not count.

    Raises:
        InputError: `only` or `ignore` name nothing that is compared.
    """
    compared = Compared(only=tuple(only), ignore=tuple(ignore))
    compared.check((a, b))
    identical = a["packet_hash"] == b["packet_hash"]
    inputs = () if identical else changed_inputs(a, b)
    chunks = () if identical else compared_chunks(a, b)
    lines = {} if identical else compared_lines(a, b)
    counted = [each for each in inputs if compared.counts_input(each)]
    sections = {section for each in chunks for section in each.sections} | lines.keys()
    differs = {section for section in sections if compared.counts(section)}
    if counted and compared.counts("inputs"):
        differs.add("inputs")
    if inputs:
        sections.add("inputs")
    beside = [section for section in SECTIONS if section in sections - differs]
    if "inputs" in differs:
        beside += [each.key for each in inputs if each not in counted]
    found = Difference(
        same=not differs,
        identical=identical,
        trace_ids=(a["trace_id"], b["trace_id"]),
        packet_hashes=(a["packet_hash"], b["packet_hash"]),
        differs=tuple(section for section in SECTIONS if section in differs),
        not_compared=tuple(beside),
        n_packed=(len(a["packed_chunks"]), len(b["packed_chunks"])),
        inputs=inputs,
        selection=None,
        chunks=chunks,
        lines=lines,
    )
    return found if identical else _attributed(found, (a, b), kbs)


def _attributed(
    found: Difference,
    documents: tuple[Document, Document],
    kbs: tuple[KnowledgeBase | None, KnowledgeBase | None],
) -> Difference:
    from packhorse.explain.diff.mixture import Mixture

    n_most = max(each["packing"]["candidates"] for each in documents)
    if n_most > MOST_CANDIDATES:
        return replace(found, note=f"Not attributed: {n_most} candidates are too many")
    try:
        sides = (recorded(documents[0], kbs[0]), recorded(documents[1], kbs[1]))
        mixture = Mixture(documents, sides, found.inputs)
    except PackhorseError as error:
        return replace(found, note=f"Not attributed: {error.message}. {error.hint}")
    note = _other_code(mixture, documents)
    if note:
        return replace(found, note=note)
    told = Attributions(mixture)
    return replace(
        found,
        inputs=tuple(replace(each, effect=told.effect(each.key)) for each in found.inputs),
        selection=told.selection(),
        chunks=tuple(replace(each, because=_because(each, told)) for each in found.chunks),
    )


def _other_code(mixture: Any, documents: tuple[Document, Document]) -> str:
    """Why nothing can be attributed: selecting again gives another packet; empty where it does."""
    from packhorse.explain.diff.mixture import recorded_outcome

    for name, groups, document in (("A", (), documents[0]), ("B", mixture.groups, documents[1])):
        failure = mixture.failure(groups)
        if failure:
            return f"Not attributed: selecting {name} again fails: {failure}"
        again, then = mixture.outcome(groups), recorded_outcome(document)
        for chunk_id in _unlike(again, then):
            return (
                f"Not attributed: selecting {name} again gives another packet, {chunk_id} is first."
                " Other code made it"
            )
    return ""


def _unlike(again: Mapping[str, Any], then: Mapping[str, Any]) -> Iterator[str]:
    for chunk_id in sorted({*again, *then}):
        if again.get(chunk_id) != then.get(chunk_id):
            yield chunk_id


def _because(found: ChunkDifference, told: Attributions) -> Attribution | None:
    if found.sections[0] == "selection":
        return told.decision(found.chunk_id)
    if found.sections[0] == "pool":
        return told.presence(found.chunk_id)
    for section in found.sections:
        field = _FIELD_OF.get(section)
        if field is not None and (because := told.standing(found.chunk_id, field)):
            return because
    return None
