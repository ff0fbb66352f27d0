"""What went into two packets that is not the same: question, day, model, settings, corpus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from packhorse.explain.diff.changed_choices import changed_choices
from packhorse.explain.diff.changed_notes import changed_notes
from packhorse.explain.recorded import entries_of
from packhorse.profiles.profile import settings_of_packet

if TYPE_CHECKING:
    from packhorse.explain.diff.attribution import Effect
    from packhorse.types.chunk import Chunk

__all__ = [
    "CHUNK_FIELDS",
    "KINDS",
    "ChangedInput",
    "asked_budget",
    "changed_inputs",
    "chunk_key",
    "settings_of",
    "topics_asked",
]

Document = Mapping[str, Any]

KINDS = (
    *("query", "as_of", "model", "budget", "config", "policy", "required", "history", "memory"),
    *("examples", "tools", "snapshot", "chunk", "version"),
)
"""Kinds of inputs, in the order in which they are told."""

CHUNK_FIELDS: Mapping[str, str] = {
    "text": "content_hash",
    "trust": "declared_trust",
    "date": "timestamp",
    "tags": "topic_tags",
    "source": "source",
    "source_id": "source_id",
    "section": "section_id",
    "place": "position_in_source",
}
"""What can change about a candidate -> field of its entry. `text` stands for the text and for
what a packet does not show besides: header and metadata."""

POLICY_FIELDS = ("mandatory", "blocked_sources", "trust", "min_trust", "max_age_days")

_OF_THE_PROFILE = ("as_of", "model", "name")
"""Settings beside which there is an input of that name, or which say little by their name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedInput:
    """One thing that went in and is not the same in both packets."""

    key: str
    """`query`, `budget`, a setting's name such as `weights.trust`, `policy.min_trust`,
    `snapshot`, `chunks[ID].text` and the like; the name that `--ignore` takes."""
    kind: str
    """One of `KINDS`."""
    was: Any
    """None where the packet does not say, and where there was none."""
    now: Any
    detail: str = ""
    """What a reader has to know besides; empty for nothing."""
    chunk_id: str | None = None
    """The candidate, where it is about one."""
    effect: Effect | None = None
    """What it does to the selection alone; None where it takes no part in selecting, or where
    selecting again was not possible."""


def chunk_key(chunk_id: str, field: str) -> str:
    """The key of a candidate's own input."""
    return f"chunks[{chunk_id}].{field}"


def changed_inputs(a: Document, b: Document) -> tuple[ChangedInput, ...]:
    """Every input that differs, in the order of `KINDS`, then by key.

    What follows from another input is not told apart: the vector of another question, the
    tokenizer of another model, the topics of another query type.
    """
    found = [
        *_question(a, b),
        *_model(a, b),
        *_budget(a, b),
        *_settings(a, b),
        *_reranker(a, b),
        *_policy(a, b),
        *_required(a, b),
        *_history(a, b),
        *_memory(a, b),
        *_choices(a, b),
        *_corpus(a, b),
        *_versions(a, b),
    ]
    return tuple(sorted(found, key=lambda each: (KINDS.index(each.kind), each.key)))


def settings_of(document: Document) -> dict[str, Any]:
    """Setting -> value, `weights`, `query_types` and `topics` key by key; nothing is left out.

    Settings that the packet is too old to have are what held then.
    """
    settings: dict[str, Any] = {}
    for key, value in settings_of_packet(document).items():
        if key == "weights":
            settings |= {f"weights.{name}": each for name, each in value.items()}
        elif key in ("query_types", "topics"):
            settings |= {
                f"{key}.{name}.{field}": each
                for name, fields in value.items()
                for field, each in fields.items()
            }
        else:
            settings[key] = value
    return settings


def asked_budget(document: Document) -> int | None:
    """The cap that was asked for; None where all that is available was the budget."""
    budget = document["budget"]
    asked: int = budget["evidence_budget"]
    return None if asked == budget["available_evidence"] else asked


def topics_asked(document: Document) -> list[str]:
    """Required topics that no setting of the packet's profile requires."""
    settings, query_type = settings_of(document), document["query_type"]
    by_type = settings.get(f"query_types.{query_type}.required_topics", ())
    return [each for each in document["coverage"]["required_topics"] if each not in by_type]


def _differs(key: str, kind: str, was: Any, now: Any, detail: str = "") -> Iterator[ChangedInput]:
    if was != now:
        yield ChangedInput(key=key, kind=kind, was=was, now=now, detail=detail)


def _question(a: Document, b: Document) -> Iterator[ChangedInput]:
    yield from _differs("query", "query", a["query"], b["query"])
    was, now = (_searched(each) for each in (a, b))
    if a["query"] == b["query"]:
        yield from _differs("searched", "query", was, now)
    if a["query"] == b["query"] and was == now:
        yield from _differs("query_vector", "query", _digest(a), _digest(b))
    yield from _differs("require_topics", "query", topics_asked(a), topics_asked(b))
    yield from _differs("as_of", "as_of", a["as_of"], b["as_of"])


def _searched(document: Document) -> str:
    """What was searched with: the question, or that with words of the conversation."""
    searched: str = document.get("searched", {}).get("text", document["query"])
    return searched


def _digest(document: Document) -> str | None:
    import hashlib

    vector = document["query_vector"]
    return None if vector is None else hashlib.sha256(vector.encode()).hexdigest()


def _model(a: Document, b: Document) -> Iterator[ChangedInput]:
    tokenizers = (a["tokenizer"], b["tokenizer"])
    if a["model"] != b["model"]:
        names = [each["name"] for each in tokenizers]
        windows = [each["budget"]["total_window"] for each in (a, b)]
        detail = ", ".join(
            f"{what} {was} -> {now}" if was != now else f"the same {what}"
            for what, (was, now) in (("tokenizer", names), ("window", windows))
        )
        yield from _differs("model", "model", a["model"], b["model"], detail)
        return
    was, now = (
        {name: value for name, value in each.items() if name != "margin_tokens"}
        for each in tokenizers
    )
    fields = [name for name in sorted({*was, *now}) if was.get(name) != now.get(name)]
    for name in fields:
        yield from _differs(f"tokenizer.{name}", "model", was.get(name), now.get(name))
    yield from _differs("request.shape", "model", a["request"]["shape"], b["request"]["shape"])


def _budget(a: Document, b: Document) -> Iterator[ChangedInput]:
    was, now = (
        "all that is available" if asked is None else asked
        for asked in (asked_budget(a), asked_budget(b))
    )
    yield from _differs("budget", "budget", was, now)


def _settings(a: Document, b: Document) -> Iterator[ChangedInput]:
    was, now = settings_of(a), settings_of(b)
    for key in sorted({*was, *now}):
        if key == "model" and a["model"] != b["model"]:
            continue
        # The day itself is an input of its own; where the profile says it is told when that is all.
        if key == "as_of" and a["as_of"] != b["as_of"]:
            continue
        name = f"profile.{key}" if key in _OF_THE_PROFILE else key
        yield from _differs(name, "config", was.get(key), now.get(key))
    weights = (a["weights"], b["weights"])
    if was == now:
        yield from _differs("weights", "config", *weights)
    for name in ("system_prompt", "safety_preamble"):
        if was.get(name) == now.get(name):
            yield from _differs(f"request.{name}", "config", a["request"][name], b["request"][name])


def _reranker(a: Document, b: Document) -> Iterator[ChangedInput]:
    """Other answers of the same reranker to the same question about the same passages."""
    told = (a.get("reranker"), b.get("reranker"))
    if None in told or settings_of(a)["reranker"] != settings_of(b)["reranker"]:
        return
    if a["query"] != b["query"] or a.get("searched") != b.get("searched"):
        return
    answers = [
        {
            (entry["chunk_id"], entry["content_hash"]): entry["reranker_score"]
            for entry in entries_of(document)
            if entry.get("reranker_rank") is not None
        }
        for document in (a, b)
    ]
    there = answers[0].keys() & answers[1].keys()
    n_changed = sum(answers[0][key] != answers[1][key] for key in there)
    was, now = (
        each["fallback"] or f"{each['judged']} judged by {each['model']}"
        for each in told
        if each is not None
    )
    if n_changed or was != now:
        yield ChangedInput(
            key="reranker.answers",
            kind="config",
            was=was,
            now=now,
            detail=f"{n_changed} judged otherwise" if n_changed else "",
        )


def _policy(a: Document, b: Document) -> Iterator[ChangedInput]:
    yield from _differs("kb.name", "policy", a["kb"]["name"], b["kb"]["name"])
    was, now = a["kb"]["policy"] or {}, b["kb"]["policy"] or {}
    for name in POLICY_FIELDS:
        yield from _differs(f"policy.{name}", "policy", was.get(name), now.get(name))


def _required(a: Document, b: Document) -> Iterator[ChangedInput]:
    was, now = a["packing"], b["packing"]
    yield from _differs("pinned", "required", was["pinned"], now["pinned"])
    names, hashes = [], []
    for document in (a, b):
        hash_of = {entry["chunk_id"]: entry["content_hash"] for entry in entries_of(document)}
        ids = [each["chunk_id"] for each in document["packing"].get("attached", ())]
        names.append(ids)
        hashes.append([hash_of.get(each) for each in ids])
    if names[0] != names[1] or hashes[0] != hashes[1]:
        detail = "" if names[0] != names[1] else "other content"
        yield ChangedInput(
            key="attached", kind="required", was=names[0], now=names[1], detail=detail
        )


def _history(a: Document, b: Document) -> Iterator[ChangedInput]:
    was, now = a["history"], b["history"]
    old, new = a["request"]["history"], b["request"]["history"]
    cut = f"{was['kept']} of {was['kept'] + was['dropped']} messages kept"
    cut_now = f"{now['kept']} of {now['kept'] + now['dropped']} messages kept"
    if was["kept"] + was["dropped"] == now["kept"] + now["dropped"] and _ends_alike(old, new):
        # The same conversation as far as can be seen; where it was cut is a result.
        return
    yield ChangedInput(key="history", kind="history", was=cut, now=cut_now)


def _memory(a: Document, b: Document) -> Iterator[ChangedInput]:
    """Notes that were given; see `changed_notes`."""
    changed = changed_notes(a, b)
    if changed is not None:
        was, now, detail = changed
        yield ChangedInput(key="memory", kind="memory", was=was, now=now, detail=detail)


def _choices(a: Document, b: Document) -> Iterator[ChangedInput]:
    """Examples and tools that were given, and caps of tools; see `changed_choices`."""
    for kind, key in (("examples", "example_id"), ("tools", "name")):
        changed = changed_choices(a, b, kind, key)
        if changed is not None:
            was, now, detail = changed
            yield ChangedInput(key=kind, kind=kind, was=was, now=now, detail=detail)
    caps = [(each.get("tools") or {}) for each in (a, b)]
    for name, cap in (("max_tools", "max_tools"), ("tool_tokens", "max_tokens")):
        yield from _differs(name, "tools", caps[0].get(cap), caps[1].get(cap))
    yield from _differs("pin_tools", "tools", _pinned(caps[0]), _pinned(caps[1]))


def _pinned(tools: Document) -> list[str]:
    given = tools.get("tools", ())
    return [each["name"] for each in given if each["reason_code"] == "pinned"]


def _ends_alike(one: Sequence[Any], two: Sequence[Any]) -> bool:
    """Whether the shorter is the end of the longer."""
    n_common = min(len(one), len(two))
    return one[len(one) - n_common :] == two[len(two) - n_common :]


def _corpus(a: Document, b: Document) -> Iterator[ChangedInput]:
    yield from _differs("embedder", "snapshot", a["kb"]["embedder"], b["kb"]["embedder"])
    was, now = a["kb"], b["kb"]
    if was["snapshot"] != now["snapshot"]:
        n_was, n_now = was["chunks"], now["chunks"]
        sizes = f"{n_was} -> {n_now} chunks" if n_was != n_now else f"{n_now} chunks then and now"
        yield from _differs("snapshot", "snapshot", was["snapshot"], now["snapshot"], sizes)
    else:
        yield from _differs("kb.chunks", "snapshot", was["chunks"], now["chunks"])
    then = {entry["chunk_id"]: entry for entry in entries_of(a)}
    trusted_anew = (was["policy"] or {}).get("trust") != (now["policy"] or {}).get("trust")
    attached = {each["chunk_id"] for each in a["packing"].get("attached", ())}
    for entry in entries_of(b):
        before = then.get(entry["chunk_id"])
        if before is not None and entry["chunk_id"] not in attached:
            yield from _chunk(before, entry, trusted_anew=trusted_anew)


def _chunk(was: Document, now: Document, *, trusted_anew: bool) -> Iterator[ChangedInput]:
    chunk_id = now["chunk_id"]
    shown = [
        name for name, field in CHUNK_FIELDS.items() if name != "text" and was[field] != now[field]
    ]
    for name in shown:
        # Another table of trust says what it does of many chunks at once.
        if name == "trust" and trusted_anew:
            continue
        field = CHUNK_FIELDS[name]
        yield ChangedInput(
            key=chunk_key(chunk_id, name),
            kind="chunk",
            was=was[field],
            now=now[field],
            chunk_id=chunk_id,
        )
    if was["content_hash"] == now["content_hash"] and not _texts_differ(was, now):
        return
    if _text_changed(was, now, explained=bool(shown)):
        yield ChangedInput(
            key=chunk_key(chunk_id, "text"),
            kind="chunk",
            was=f"{was['text_tokens']} tokens",
            now=f"{now['text_tokens']} tokens",
            detail="metadata" if _texts_differ(was, now) is False else "",
            chunk_id=chunk_id,
        )


def _texts_differ(was: Document, now: Document) -> bool | None:
    """Whether the texts do; None where one of them is not in its packet."""
    if "text" not in was or "text" not in now:
        same_hash = was["content_hash"] == now["content_hash"]
        return None if same_hash or was["text_tokens"] == now["text_tokens"] else True
    texts = [(entry["text"], entry["header"]) for entry in (was, now)]
    return bool(texts[0] != texts[1])


def _text_changed(was: Document, now: Document, *, explained: bool) -> bool:
    """Whether more has changed than what entries show of a chunk.

    Where one packet has the text, it is tried whether the other's hash is that of this text.
    """
    if not explained or _texts_differ(was, now):
        return True
    for entry, other in ((was, now), (now, was)):
        # With metadata, which no packet shows, the hash is not that of what is seen.
        if "text" in entry and _hash_with(entry, entry) == entry["content_hash"]:
            return bool(_hash_with(other, entry) != other["content_hash"])
    # What is known is its length, which is the same.
    return False


def _hash_with(entry: Document, texted: Document) -> str:
    from packhorse.explain.recorded import chunk_of

    chunk: Chunk = replace(chunk_of(entry), text=texted["text"], header=texted["header"])
    return chunk.content_hash()


def _versions(a: Document, b: Document) -> Iterator[ChangedInput]:
    was, now = a.get("made_with") or {}, b.get("made_with") or {}
    for name, key in (("packhorse", "made_with.packhorse"), ("tokenizer", "made_with.tokenizer")):
        if name == "tokenizer" and a["model"] != b["model"]:
            continue
        yield from _differs(key, "version", was.get(name), now.get(name))
    if a["model"] == b["model"]:
        rows = (was.get("model_row"), now.get("model_row"))
        yield from _differs("made_with.model_row", "version", rows[0], rows[1])
