"""What is not as it was when a packet was made: chunks, policy, settings, versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packhorse.errors import PackhorseError
from packhorse.explain.recorded import entries_of, policy_of
from packhorse.explain.replayed_kb import attached_chunks
from packhorse.profiles.profile import load_profile, profile_to_dict, settings_of_packet

if TYPE_CHECKING:
    from packhorse.explain.replayed_kb import ReplayedKnowledgeBase
    from packhorse.protocols import KnowledgeBase

__all__ = ["FILES", "Corpus", "corpus_since", "moved_since"]

Document = Mapping[str, Any]

POLICY_FIELDS = ("name", "mandatory", "blocked_sources", "trust", "min_trust", "max_age_days")

VERSIONS = {
    "packhorse": "Packhorse",
    "tokenizer": "The tokenizer's library",
    "model_row": "The model's row in the model table",
}

FILES = {"vocabulary": "The vocabulary file", "template": "The chat template"}
"""Files of the user's that counts depend on: field of `tokenizer`, and its name for people."""

_SHOWN = 8
"""Chunk ids that a sentence names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """The candidates' chunks then and now. Ids are sorted."""

    snapshot_was: str
    snapshot_now: str
    changed: tuple[str, ...]
    """Candidates of which the text, or what decides about it, is another one now."""
    vanished: tuple[str, ...]
    """Candidates that do not exist any more."""
    new: tuple[str, ...]
    """Candidates of the packet as it comes out now that were none then."""

    def sentences(self) -> Iterator[str]:
        """For people; none when the corpus is the same."""
        if self.snapshot_was == self.snapshot_now and not (self.changed or self.vanished):
            return
        if self.snapshot_was != self.snapshot_now:
            was, now = self.snapshot_was[:12], self.snapshot_now[:12]
            yield f"The corpus has changed: snapshot {was} then, {now} now"
        for name, ids in (
            ("changed", self.changed),
            ("vanished", self.vanished),
            ("new", self.new),
        ):
            if ids:
                more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
                yield f"Candidates {name}: {', '.join(ids[:_SHOWN])}{more}"
        if not (self.changed or self.vanished or self.new):
            yield "No candidate has changed; other chunks have"


def corpus_since(
    document: Document, kb: ReplayedKnowledgeBase, again: Mapping[str, Any] | None
) -> Corpus:
    """Compares the candidates' content hashes with the chunks that exist now."""
    attached = {chunk.chunk_id for chunk in attached_chunks(document)}
    then = {
        entry["chunk_id"]: entry["content_hash"]
        for entry in entries_of(document)
        if entry["chunk_id"] not in attached
    }
    found = kb.get(sorted(then))
    known = then.keys() | attached
    return Corpus(
        snapshot_was=document["kb"]["snapshot"],
        snapshot_now=kb.snapshot(),
        changed=tuple(sorted(name for name in found if found[name].content_hash() != then[name])),
        vanished=tuple(sorted(then.keys() - found.keys())),
        new=()
        if again is None
        else tuple(sorted(e["chunk_id"] for e in entries_of(again) if e["chunk_id"] not in known)),
    )


def moved_since(
    document: Document, kb: KnowledgeBase, again: Mapping[str, Any] | None
) -> Iterator[str]:
    """A sentence for everything besides the corpus that is not as it was."""
    then, now = policy_of(document), kb.policy
    fields = [
        name for name in POLICY_FIELDS if _plain(getattr(then, name)) != _plain(getattr(now, name))
    ]
    if fields:
        yield f"The operator's policy differs in {', '.join(fields)}: the recorded one was used"
    yield from _settings(document, now.default_profile)
    embedder = kb.stats().get("embedder")
    if embedder != document["kb"]["embedder"]:
        yield f"The embedder was {document['kb']['embedder']}, is {embedder}"
    yield from _versions(document, again or {})
    yield from _files(document, again or {})


def _versions(document: Document, again: Document) -> Iterator[str]:
    was, now = document.get("made_with") or {}, again.get("made_with") or {}
    for name, title in VERSIONS.items():
        if was and now and was[name] != now[name]:
            shown = (
                document["model"] if name == "model_row" else f"{was[name]} then, {now[name]} now"
            )
            yield f"{title} has changed: {shown}"


def _files(document: Document, again: Document) -> Iterator[str]:
    was, now = document["tokenizer"], again.get("tokenizer", {})
    for name, title in FILES.items():
        if name in was and name in now and was[name]["sha256"] != now[name]["sha256"]:
            yield f"{title} has changed: {now[name]['path']}"


def _settings(document: Document, default_profile: str | None) -> Iterator[str]:
    """Settings that the knowledge base's own profile of that name says otherwise by now."""
    if default_profile is None:
        return
    then = settings_of_packet(document)
    try:
        now = profile_to_dict(load_profile(Path(default_profile)))
    except PackhorseError as error:
        yield f"The knowledge base's profile cannot be read any more: {error.message}"
        return
    if now["name"] != then["name"]:
        return
    keys = [key for key in sorted(now) if then[key] != now[key]]
    if keys:
        yield (
            f"Profile {now['name']} says otherwise today, or flags went over it then, in"
            f" {', '.join(keys)}: the recorded settings were used"
        )


def _plain(value: object) -> object:
    """Lists and mappings in a form that compares."""
    if isinstance(value, Mapping):
        return sorted((key, round(float(score), 6)) for key, score in value.items())
    return list(value) if isinstance(value, (list, tuple)) else value
