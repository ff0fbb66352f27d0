"""What a page needs to select again by itself, as plain data, and the scripts that do it.

Budget, lambda and weights leave filters and duplicates as they are. So only the rows that may
compete, and the required ones, go into the page, with the signals that the ranking starts from.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from packhorse.config import Profile
from packhorse.errors import PackhorseError
from packhorse.explain.selection import Selection
from packhorse.packing.density import DEFAULT_FLOOR_TOKENS
from packhorse.packing.notice_room import LARGEST_SHARE
from packhorse.packing.registry import PACKERS
from packhorse.packing.representation import MAX_REPRESENTED
from packhorse.packing.units import linked_groups
from packhorse.packing.worth import HALVED_BY
from packhorse.profiles.profile import profile_of_packet, profile_to_dict
from packhorse.rerank.deduplication import similarities
from packhorse.rerank.five_signals import DEPTH
from packhorse.rerank.table import Table
from packhorse.text.topics import topic_key
from packhorse.types.candidate import CandidatePool
from packhorse.types.decision import ExclusionCode
from packhorse.verify.coverage import measure_coverage

if TYPE_CHECKING:
    from packhorse.explain.recorded import Recorded
    from packhorse.protocols import KnowledgeBase
    from packhorse.types.arrays import FloatArray
    from packhorse.types.packing import Packing
    from packhorse.types.ranking import Ranking

__all__ = ["MAX_ROWS", "engine_script", "packed_pairs", "unavailable", "what_if", "what_if_script"]

Document = Mapping[str, Any]

MAX_ROWS = DEPTH
"""Rows that a page selects from: a table of their similarities takes about 430 kB."""

DEPENDS_ON_SETTINGS = frozenset({ExclusionCode.NOT_SELECTED_BY_MMR, ExclusionCode.SOURCE_CAP})
"""Exclusions by the ranking that other weights or another lambda may lift."""

WEIGHTS = ("relevance", "trust", "freshness", "coverage", "deduplication")
"""In the order of the controls."""

BY_FLAGS = frozenset(
    {
        *("model", "as_of", "strategy", "order", "format", "candidates", "top_k", "mmr_lambda"),
        *("counting", "query_types", "closing_notice"),
    }
)
"""Settings of a profile that the command line on the page says by itself."""

ENGINE = (
    "select_numbers.js",
    "select_ranking.js",
    "select_packing.js",
    "select_submodular.js",
    "select_best_set.js",
    "select.js",
)
"""Files of the engine, in the order of loading; they share one scope."""

CONTROLS = ("whatif_command.js", "whatif_view.js", "whatif.js")


def what_if(document: Document, kb: KnowledgeBase | None = None) -> dict[str, Any]:
    """Data for the page: `unavailable` is why it cannot select again, empty when it can.

    Args:
        document: a packet's.
        kb: what it was packed from; only needed above 256 candidates.
    """
    try:
        selection = Selection(document, kb)
        difference = selection.difference()
    except PackhorseError as error:
        return unavailable(document, error.message, error.hint)
    if difference:
        return unavailable(
            document,
            "This packet was made by another version of Packhorse, which selects otherwise:"
            f" {difference}",
            "Pack the question again with this version",
        )
    ranking = selection.ranking()
    rows = _rows(selection.recorded, ranking)
    refusal = _refusal(selection.recorded, len(rows))
    if refusal:
        return unavailable(document, refusal, "Run the command with the settings to try")
    return _data(document, selection, ranking, rows)


def engine_script() -> str:
    """The engine alone: declarations of `prepared(data)` and `selected(table, settings)`."""
    return _joined(ENGINE)


def what_if_script() -> str:
    """Engine and controls in a scope of their own; run once the page has its section."""
    return f'(() => {{\n"use strict";\n{_joined((*ENGINE, *CONTROLS))}}})();\n'


def packed_pairs(millionths: FloatArray) -> str:
    """What stands above the diagonal, row by row: 20 bits each, low bits first, in base64."""
    above = millionths[np.triu_indices(len(millionths), 1)].astype("<u8")
    pairs = np.append(above, np.zeros(above.size % 2, dtype="<u8")).reshape(-1, 2)
    joined = (pairs[:, 0] | pairs[:, 1] << np.uint64(20)).astype("<u8")
    return base64.b64encode(joined.view(np.uint8).reshape(-1, 8)[:, :5].tobytes()).decode()


def _joined(names: Sequence[str]) -> str:
    folder = files("packhorse.report") / "assets"
    return "".join((folder / name).read_text(encoding="utf-8") for name in names)


def unavailable(document: Document, reason: str, hint: str = "") -> dict[str, Any]:
    """The reason, and the settings as recorded, from which the command line is made."""
    told = {"unavailable": reason, "hint": hint}
    try:
        return {**told, **_settings(document)}
    except PackhorseError:
        return told


def _settings(document: Document) -> dict[str, Any]:
    """What the command line is made of.

    Raises:
        ConfigError: the packet's profile is none that this version reads.
    """
    # A packet may leave out what its version took for granted.
    profile = profile_to_dict(profile_of_packet(document))
    weights = profile["weights"]
    return {
        "lambda": profile["mmr_lambda"],
        "weights": {name: weights[name] for name in WEIGHTS},
        "budget": document["budget"]["evidence_budget"],
        "command": _command(document, profile),
        "profile": profile["name"] if _has_own_settings(profile) else None,
    }


def _has_own_settings(profile: Document) -> bool:
    """Whether the profile says anything that the command's flags do not."""
    plain = profile_to_dict(Profile())
    by_flags = all(not each["keywords"] for each in profile["query_types"].values())
    return not by_flags or any(
        value != plain.get(key) for key, value in profile.items() if key not in BY_FLAGS
    )


def _rows(own: Recorded, ranking: Ranking) -> list[int]:
    """Required rows in the order of reservation, then what may compete, in tie order."""
    required = [row for row, _ in ranking.reserved]
    gone = {row for row, why in ranking.excluded.items() if why.code not in DEPENDS_ON_SETTINGS}
    by_id = Table.of(own.query, own.pool, own.profile.rerank).by_id.tolist()
    return [*required, *(row for row in by_id if row not in gone and row not in set(required))]


def _refusal(own: Recorded, n_rows: int) -> str:
    """Why the page cannot select again although Python could; empty for no reason."""
    strategy, rules = own.profile.pack.strategy, own.constraints
    if n_rows > MAX_ROWS:
        return f"{n_rows} candidates compete, and a page selects from at most {MAX_ROWS}."
    if not own.budget:
        return "The packet has no budget for evidence, so what its preamble takes is not known."
    if own.pool.around:
        return (
            "Passages are in only beside one that they stand around, and a page does not follow"
            " that."
        )
    if strategy not in PACKERS:
        return f"The strategy {strategy!r} is not one that a page has."
    if strategy == "optimal" and (
        rules.max_per_source is not None or rules.topics or rules.exclusive
    ):
        return (
            "The best set under group rules (a cap for each source, exclusive chunks, required"
            " topics) takes an integer solver, which a page does not have."
        )
    return ""


def _data(
    document: Document, selection: Selection, ranking: Ranking, rows: list[int]
) -> dict[str, Any]:
    own = selection.recorded
    config = own.profile.rerank
    at = {row: place for place, row in enumerate(rows)}
    packing = selection.packing(ranking=ranking)
    return {
        "unavailable": "",
        "strategy": own.profile.pack.strategy,
        "order": own.profile.render.order,
        "top_k": config.top_k,
        "source_cap": config.max_per_source,
        "density_floor": DEFAULT_FLOOR_TOKENS,
        "halved_by": HALVED_BY,
        "max_represented": MAX_REPRESENTED,
        **_settings(document),
        "room": own.room + own.kept_for_notice,
        "longest_notice": own.longest_notice,
        "notice_share": LARGEST_SHARE,
        "available": _available(document),
        "topics": list(own.query.required_topics),
        "shown_topics": sorted(set(own.query.required_topics)),
        "in_domain": document["coverage"]["in_domain"],
        "full_strength": own.profile.coverage.full_strength,
        "n_required": len(ranking.reserved),
        "sources": list(dict.fromkeys(own.entries[row]["source_id"] for row in rows)),
        "rows": _columns(own, rows),
        "rules": _rules(own, at),
        "similarities": _similarities(own, rows),
        "estimated": list(_estimated(document, own, packing)),
        "recorded": _recorded(document),
    }


def _columns(own: Recorded, rows: list[int]) -> dict[str, list[Any]]:
    table = Table.of(own.query, own.pool, own.profile.rerank)
    chunks = [own.pool.chunks[row] for row in rows]
    numbers: dict[str, int] = {}
    place_of = {row: place for place, row in enumerate(table.by_id.tolist())}
    return {
        "id": [chunk.chunk_id for chunk in chunks],
        "source": [numbers.setdefault(chunk.source_id, len(numbers)) for chunk in chunks],
        "position": [chunk.position_in_source for chunk in chunks],
        "seconds": [_seconds(chunk.timestamp) for chunk in chunks],
        "tie": [place_of[row] for row in rows],
        "tokens": own.block_tokens[rows].tolist(),
        "relevance": np.nan_to_num(table.relevance[rows], nan=0.0).tolist(),
        "trust": table.trust[rows].tolist(),
        "freshness": table.freshness[rows].tolist(),
        "strengths": table.strengths[rows].tolist(),
        "offers": [_offers(own, row) for row in rows],
        "covers": [_covers(own, row) for row in rows],
    }


def _offers(own: Recorded, row: int) -> list[int]:
    """Places of the topics that a row offers, as the packer sees it."""
    rules = own.constraints
    offered = {
        topic_key(topic)
        for topic, strength in own.pool.topics_of(own.pool.chunks[row])
        if strength >= rules.topic_strength
    }
    return [place for place, topic in enumerate(rules.topics) if topic_key(topic) in offered]


def _seconds(stamp: Any) -> float | None:
    if stamp is None:
        return None
    from datetime import UTC

    return float((stamp if stamp.tzinfo else stamp.replace(tzinfo=UTC)).timestamp())


def _covers(own: Recorded, row: int) -> list[float]:
    """Strength for each shown topic as the check measures it."""
    chunk = own.pool.chunks[row]
    alone = CandidatePool(chunks=(chunk,), relevance=np.zeros(1), mentions=own.pool.mentions)
    found = measure_coverage(own.query, alone, [chunk], own.profile.coverage)
    return [strength for _, strength in found.strengths]


def _rules(own: Recorded, at: Mapping[int, int]) -> dict[str, Any]:
    """Group rules in rows of the page; `is_out` where a filter keeps a group's row out."""
    rules = own.constraints
    return {
        "max_per_source": rules.max_per_source,
        "has_topics": bool(rules.topics),
        "exclusive": [
            [at[one], at[other]]
            for one, other in rules.exclusive
            if one != other and one in at and other in at
        ],
        "linked": [
            {"rows": [at[row] for row in group if row in at], "is_out": not set(group) <= set(at)}
            for group in linked_groups(rules.linked)
        ],
    }


def _similarities(own: Recorded, rows: list[int]) -> str | None:
    pool = own.pool
    if pool.vectors is None:
        return None
    keys = pool.vectors if pool.keys is None else pool.keys
    return packed_pairs(similarities(pool.vectors[rows], keys[rows]))


def _available(document: Document) -> int:
    """The highest evidence budget: what the window, or the model's own input limit, leaves."""
    from packhorse.tokens.models.table import model_table
    from packhorse.types.ledger import FIXED_LINES

    budget = document["budget"]
    available = int(budget["available_evidence"])
    try:
        limit = model_table(()).spec(document["model"]).max_input
    except PackhorseError:
        limit = None
    if limit is not None:
        available = min(available, limit - sum(int(budget[name]) for name in FIXED_LINES))
    return max(available, int(budget["evidence_budget"]))


def _estimated(document: Document, own: Recorded, packing: Packing) -> Iterator[str]:
    """Why tokens that the page adds up may not be those of the finished text."""
    budget, rendered = document["budget"], document["rendered"]
    if not document["tokenizer"]["exact"]:
        yield "the tokenizer of this model is an estimate itself"
    if own.room != own.budget - own.beside:
        yield "the recount of the finished text left less room than the sum of its blocks"
    if rendered["notice_tokens"] or own.longest_notice:
        yield "a closing notice takes room, and may read otherwise for another selection"
    blocks = rendered["tokens"] - budget["evidence_preamble"] - rendered["notice_tokens"]
    if packing.used_tokens != blocks:
        yield "blocks joined to one text, with their final numbers, cost other tokens than apart"


def _recorded(document: Document) -> dict[str, Any]:
    return {
        "packed": [entry["chunk_id"] for entry in document["packed_chunks"]],
        "tokens": document["budget"]["packed_evidence"],
        "value": document["packing"]["value"],
    }


def _command(document: Document, profile: Document) -> dict[str, Any]:
    """Flags of the command that runs the packet again, but for those that the page sets."""
    packing = document["packing"]
    flags = [
        ["--query", document["query"]],
        ["--kb", None],
        ["--model", document["model"]],
        ["--as-of", document["as_of"].removesuffix("T00:00:00Z")],
        ["--strategy", packing["strategy"]],
        ["--order", document["rendered"]["order"]],
        ["--format", document["rendered"]["format"]],
        ["--candidates", str(profile["candidates"])],
        ["--top-k", "auto" if profile["top_k"] is None else str(profile["top_k"])],
    ]
    flags += [["--closing-notice"]] if profile["closing_notice"] else []
    flags += [["--pin", chunk_id] for chunk_id in packing["pinned"]]
    flags += [["--require-topic", topic] for topic in _topics_of_all(profile)]
    return {
        "flags": flags,
        "kb": document["kb"]["name"],
        "attached": [each["chunk_id"] for each in packing.get("attached", ())],
        "history": document["history"]["kept"] + document["history"]["dropped"] > 0,
    }


def _topics_of_all(profile: Document) -> list[str]:
    """Topics that every query type requires: `--require-topic` adds to all of them."""
    types = list(profile["query_types"].values())
    if not types:
        return []
    return [
        topic
        for topic in types[0]["required_topics"]
        if all(topic in each["required_topics"] for each in types)
    ]
