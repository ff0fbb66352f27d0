"""The tokens that blocks may take, with lines of the ledger from one packet or another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from packhorse.explain.diff.changed_inputs import asked_budget
from packhorse.explain.diff.ties import RECOUNT
from packhorse.types.ledger import FIXED_LINES

if TYPE_CHECKING:
    from packhorse.explain.diff.ties import Ties
    from packhorse.explain.recorded import Recorded

__all__ = ["FORMAT_KEYS", "MODEL_KEYS", "EvidenceRoom"]

Document = Mapping[str, Any]

MODEL_KEYS = (
    *("model", "counting", "tokenizer.name", "tokenizer.library", "tokenizer.exact"),
    *("tokenizer.calibration", "tokenizer.vocabulary", "tokenizer.template"),
    *("made_with.model_row", "made_with.tokenizer"),
)
"""What decides how a text counts."""

FORMAT_KEYS = ("format", "show_dates")
"""What decides how a block looks."""

_TOOL_KEYS = ("tools", "max_tools", "tool_tokens", "pin_tools")

_LINE_KEYS: Mapping[str, tuple[str, ...]] = {
    "system_prompt": ("system_prompt", "request.system_prompt"),
    "safety_preamble": ("safety_preamble", "request.safety_preamble", "system_prompt"),
    "query": ("query",),
    "output_reservation": ("output_reservation",),
    "tools": (*_TOOL_KEYS, "history", "query", "memory", "examples", "sections"),
    "few_shot": ("examples", "query", *_TOOL_KEYS, "history", "memory", "sections"),
    "total_window": (),
}
"""Line -> inputs besides the model that decide it."""

_REQUEST_KEYS = (
    *("system_prompt", "safety_preamble", "query", "history", "request.shape"),
    *("request.system_prompt", "request.safety_preamble"),
)
"""What the framing of a request depends on."""

_HISTORY_KEYS = (
    *_REQUEST_KEYS,
    *("history_max_tokens", "min_evidence_tokens", "output_reservation", "memory", "sections"),
    *("examples", *_TOOL_KEYS),
)
"""What decides where a conversation is cut."""


class EvidenceRoom:
    """Room for blocks: the budget of the section less what stands beside the blocks."""

    def __init__(
        self, documents: tuple[Document, Document], sides: tuple[Recorded, Recorded], ties: Ties
    ) -> None:
        self._documents = documents
        self._asked = tuple(asked_budget(document) for document in documents)
        self._beside: dict[str, tuple[str, tuple[int, int]]] = {}
        self._lines: dict[str, tuple[str, tuple[int, int]]] = {}
        budgets = [document["budget"] for document in documents]
        if "budget" in ties.changed(["budget"]):
            ties.tie(["budget"])
        model = ties.changed(MODEL_KEYS)
        if None in self._asked:
            for name in ("total_window", *FIXED_LINES, "output_reservation"):
                keys = model | ties.changed(_LINE_KEYS.get(name, _HISTORY_KEYS))
                self._put(self._lines, name, keys, [budget[name] for budget in budgets], ties)
        preambles = [budget["evidence_preamble"] for budget in budgets]
        keys = model | ties.changed(("evidence_preamble", "format"))
        self._put(self._beside, "preamble", keys or ties.changed(["budget"]), preambles, ties)
        rest = [
            own.budget - own.room - preamble for own, preamble in zip(sides, preambles, strict=True)
        ]
        notice = ties.changed(("closing_notice",))
        if notice:
            kept = [own.kept_for_notice for own in sides]
            rest = [each - tokens for each, tokens in zip(rest, kept, strict=True)]
            self._put(self._beside, "notice", notice, kept, ties)
        if rest[0] != rest[1]:
            ties.add(RECOUNT)
        self._put(self._beside, RECOUNT, ties.changed([RECOUNT]), rest, ties)

    def _put(
        self,
        into: dict[str, tuple[str, tuple[int, int]]],
        name: str,
        keys: set[str],
        values: list[int],
        ties: Ties,
    ) -> None:
        was, now = values
        into[name] = (ties.tie(keys) if was != now else "", (was, now))

    def at(self, is_b: Callable[[str], bool]) -> int:
        """Tokens for blocks, every input from B of which `is_b` says so."""
        asked = self._asked[is_b("budget")]
        if asked is None:
            lines = {name: pair[is_b(key)] for name, (key, pair) in self._lines.items()}
            asked = lines.pop("total_window") - sum(lines.values())
        return asked - sum(pair[is_b(key)] for key, pair in self._beside.values())
