"""What codes of a packet are called in a report."""

from collections.abc import Mapping

__all__ = [
    "CHECKS",
    "CODES",
    "LINES",
    "NOTE_CODES",
    "PIECE_CODES",
    "STAGES",
    "STATUSES",
    "check_name",
    "code_name",
]

CODES: Mapping[str, str] = {
    "mandatory": "mandatory",
    "pinned": "pinned",
    "attached": "attached",
    "ranked": "ranked",
    "expanded": "stands around a relevant one",
    "exceeded_remaining_budget": "did not fit in what was left",
    "duplicate": "duplicate",
    "stale": "too old",
    "blocked_source": "blocked source",
    "below_trust_threshold": "trust too low",
    "below_relevance_threshold": "relevance too low",
    "not_selected_by_mmr": "below the cut of the ranking",
    "source_cap": "source has its share",
    "unscored": "no score",
    "linked_chunk_out": "linked chunk is out",
    "origin_out": "the chunk it stands around is out",
    "exclusive_pair": "never beside another",
    "not_in_best_set": "a better set was found",
}
"""Reason code -> in words."""

NOTE_CODES: Mapping[str, str] = {
    "duplicate": "the same text is in",
    "exceeded_remaining_budget": "no room",
    "superseded": "a newer note holds",
}
"""Reason code of a note that is out -> in words."""

PIECE_CODES: Mapping[str, str] = {
    "all_fit": "all of them fit",
    "called": "a call in the conversation needs it",
    "chosen": "near to the question",
    "duplicate": "says what another one says",
    "exceeded_remaining_budget": "no room",
    "not_called_any_more": "no call that stays needs it",
    "over_the_number_asked_for": "over the number asked for",
    "pinned": "pinned",
    "twin_of_the_question": "is the question itself",
}
"""Reason code of an example or a tool -> in words."""

CHECKS: Mapping[str, str] = {
    "budget": "Budget",
    "calibration": "Calibration",
    "consistency": "Facts agree",
    "constraints": "Rules kept",
    "counting": "Counting",
    "coverage": "Topics covered",
    "diversity": "Sources",
    "domain": "Question fits the knowledge base",
    "history": "Conversation kept",
    "injection": "No orders in the evidence",
    "numbers": "Numbers are finite",
    "memory": "No orders in notes",
    "retrieval": "Retrieval",
    "sections": "Floors kept",
    "source": "Reading the source",
    "tools": "Caps of tools kept",
}
"""Check -> what it is about."""

STATUSES: Mapping[str, str] = {"pass": "passed", "warn": "warns", "fail": "failed"}

STAGES: Mapping[str, str] = {
    "lexical": "by words",
    "dense": "by meaning",
    "fused": "by both together",
    "reranked": "with trust and date",
    "mmr": "with topics and diversity",
}
"""Stage -> what it ranks by."""

LINES: Mapping[str, str] = {
    "system_prompt": "System prompt",
    "safety_preamble": "Safety preamble",
    "tools": "Tools",
    "few_shot": "Examples",
    "memory": "Memory",
    "history": "Conversation",
    "query": "Question",
    "message_overhead": "Framing of messages",
}
"""Fixed line of the ledger -> what is on it."""


def code_name(code: str) -> str:
    """A reason code in words; a code of a later version as it is spelled."""
    return CODES.get(code, code.replace("_", " "))


def check_name(name: str) -> str:
    """What a check is about; one of a later version by its own name."""
    return CHECKS.get(name, name.replace("_", " "))
