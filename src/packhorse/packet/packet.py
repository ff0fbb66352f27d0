"""The context packet that callers hold: the document, its text, and typed ways into both."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from packhorse.errors import InputError
from packhorse.packet.canonical import pretty_json
from packhorse.packet.check import check_document
from packhorse.packet.document import build_document
from packhorse.packet.entries import ExcludedChunk, PackedChunk
from packhorse.packet.omitted import omitted_entries
from packhorse.packet.sections import example_messages, tool_definitions
from packhorse.render.messages import provider_messages, provider_request, read_messages
from packhorse.text.json_fault import json_fault
from packhorse.types.ledger import Ledger
from packhorse.types.request import RequestParts
from packhorse.types.verdict import Check, Claim, Conflict, Coverage, Diversity, FoundBy, Status

if TYPE_CHECKING:
    from pathlib import Path

    from packhorse.explain.diff.difference import Difference
    from packhorse.explain.replay import Replay
    from packhorse.packet.assembly import Assembly
    from packhorse.packet.explanation import Explanation
    from packhorse.protocols import KnowledgeBase

__all__ = ["Packet"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Packet:
    """What goes to the model, what it costs, and why. Frozen; equal when the content is equal."""

    document: Mapping[str, Any]
    """Everything, as in context_packet.json. Read only; `to_dict` gives a copy."""
    text: str
    """The rendered evidence, exactly what was counted."""

    @classmethod
    def of(cls, assembly: Assembly) -> Packet:
        """The packet of one run of the pipeline."""
        return cls(MappingProxyType(build_document(assembly)), assembly.rendered.text)

    @classmethod
    def from_json(cls, data: str | bytes) -> Packet:
        """A packet read back. Nothing in it is taken on trust.

        Raises:
            InputError: not a packet of this schema, or one whose numbers, text or hash do not
                agree; names the first that does not.
        """
        document = _parse(data)
        text = check_document(document)
        return cls(MappingProxyType(document), text)

    def to_json(self) -> str:
        """context_packet.json: indented, keys sorted, the same bytes for the same packet."""
        return pretty_json(dict(self.document))

    def to_dict(self) -> dict[str, Any]:
        """The document as a copy that may be changed."""
        copy: dict[str, Any] = json.loads(json.dumps(dict(self.document)))
        return copy

    @property
    def status(self) -> str:
        """`valid` when every check passes, else `warning`."""
        return str(self.document["status"])

    @property
    def trace_id(self) -> str:
        """Short name of the packet, made of its content."""
        return str(self.document["trace_id"])

    @property
    def query(self) -> str:
        """The question."""
        return str(self.document["query"])

    @property
    def model(self) -> str:
        """The model it was counted for."""
        return str(self.document["model"])

    @property
    def budget(self) -> Ledger:
        """The token ledger."""
        budget = self.document["budget"]
        known = [field.name for field in fields(Ledger) if field.name in budget]
        return Ledger(**{name: budget[name] for name in known})

    @property
    def packed_chunks(self) -> tuple[PackedChunk, ...]:
        """What is in, in reading order."""
        return tuple(PackedChunk.of(entry) for entry in self.document["packed_chunks"])

    @property
    def excluded_chunks(self) -> tuple[ExcludedChunk, ...]:
        """Every other candidate, by rank."""
        return tuple(ExcludedChunk.of(entry) for entry in self.document["excluded_chunks"])

    @property
    def coverage(self) -> Coverage:
        """Required topics: covered, partial, missing."""
        coverage = self.document["coverage"]
        return Coverage(
            query_type=coverage["query_type"],
            required_topics=tuple(coverage["required_topics"]),
            covered=tuple(coverage["covered"]),
            partial=tuple(coverage["partial"]),
            missing=tuple(coverage["missing"]),
            strengths=tuple(sorted(coverage["strengths"].items())),
            evidence=tuple(sorted(coverage["evidence"].items())),
            score=coverage["score"],
            in_domain=coverage["in_domain"],
            found_by=tuple(
                (topic, FoundBy(by=found["by"], words=tuple(found["words"])))
                for topic, found in sorted(coverage.get("found_by", {}).items())
            ),
        )

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """Facts that packed chunks state differently."""
        return tuple(
            Conflict(
                chunk_a=conflict["chunk_a"],
                chunk_b=conflict["chunk_b"],
                kind=conflict["kind"],
                a=Claim(**conflict["a"]),
                b=Claim(**conflict["b"]),
            )
            for conflict in self.document["consistency"]["conflicts"]
        )

    @property
    def diversity(self) -> Diversity:
        """How many sources the packed chunks come from."""
        return Diversity(**self.document["diversity"])

    @property
    def checks(self) -> tuple[Check, ...]:
        """Every check, passed or not."""
        return tuple(
            Check(name=check["name"], status=Status(check["status"]), detail=check["detail"])
            for check in self.document["checks"]
        )

    def messages(self, shape: str | None = None) -> Any:
        """The conversation in a provider's shape, the model's own by default.

        A list for `openai`; a dict with instructions and messages for `anthropic` and `gemini`.

        Raises:
            UnknownStrategyError: no such shape.
        """
        return provider_messages(self._parts(), self._shape(shape))

    def request(self, shape: str | None = None) -> dict[str, Any]:
        """The whole request body in a provider's shape, the model's own by default.

        Raises:
            UnknownStrategyError: no such shape.
        """
        return provider_request(
            self._parts(),
            self._shape(shape),
            model=self.model,
            output_reservation=self.document["budget"]["output_reservation"],
        )

    def explain(self, chunk_id: str, kb: KnowledgeBase | None = None) -> Explanation:
        """Why a candidate is in or out, and the smallest changes that would flip that.

        Selection is run again some hundred times, which takes a fraction of a second.

        Args:
            chunk_id: the candidate.
            kb: what the packet was packed from; only needed above 256 candidates, where the
                packet does not hold all similarities. Without it, the changes are left out
                there, and `note` says so. It also tells a chunk that was not found from none.

        Raises:
            InputError: it was no candidate (the hint says what to do), or `kb` has changed.
        """
        from packhorse.explain.why import explained

        return explained(self.document, chunk_id, kb)

    def replay(
        self, kb: KnowledgeBase | str | Path, models: str | Path | Sequence[str | Path] = ()
    ) -> Replay:
        """Makes the packet again from what it records, and compares byte for byte.

        Args:
            kb: what it was packed from, open or what `open_kb` takes, as it is now.
            models: the file of models of your own that it was packed with, or several.

        Raises:
            StoreError: `kb` cannot be opened.
            InputError: a file of models cannot be read.
            ConfigError: something in it cannot be used.
        """
        from packhorse.explain.replay import replayed

        return replayed(self.document, kb, models)

    def diff(
        self,
        other: Packet,
        kb: KnowledgeBase | None = None,
        *,
        other_kb: KnowledgeBase | None = None,
        only: Sequence[str] = (),
        ignore: Sequence[str] = (),
    ) -> Difference:
        """What is not the same in another packet, and which changed input made it so.

        Selection is run again with inputs of the one packet in the other, some dozens of times.

        Args:
            other: the packet to compare with, the later one.
            kb: what this one was packed from; only needed above 256 candidates, where a packet
                does not hold all similarities.
            other_kb: what the other was packed from; `kb` where it is not given.
            only: sections that count in `same`, for example `selection`; none for all.
            ignore: sections, and inputs such as `as_of`, that do not.

        Raises:
            InputError: `only` or `ignore` name nothing that is compared.
        """
        from packhorse.explain.diff.diff import diffed

        kbs = (kb, kb if other_kb is None else other_kb)
        return diffed(self.document, other.document, kbs, only=only, ignore=ignore)

    def to_html(self, kb: KnowledgeBase | str | Path | None = None) -> str:
        """The report: one HTML page that loads nothing; see docs/guides/report.md.

        Args:
            kb: what it was packed from, open or what `open_kb` takes; with it, excluded passages
                are shown with their texts, checked by their content hashes.

        Raises:
            StoreError: `kb` cannot be opened.
        """
        from packhorse.report.html import report_html

        return report_html(self, kb)

    def omitted(self, *, relevant: bool = False) -> tuple[ExcludedChunk, ...]:
        """Candidates that only the budget kept out, by rank.

        Args:
            relevant: only those at least half as relevant as the most relevant ranked candidate,
                and none for a query outside the corpus: what the closing notice counts.
        """
        entries = omitted_entries(self.document, relevant=relevant)
        return tuple(ExcludedChunk.of(entry) for entry in entries)

    def _shape(self, shape: str | None) -> str:
        return str(self.document["request"]["shape"]) if shape is None else shape

    def _parts(self) -> RequestParts:
        request = self.document["request"]
        return RequestParts(
            system_prompt=request["system_prompt"],
            safety_preamble=request["safety_preamble"],
            tools=tool_definitions(self.document),
            examples=example_messages(self.document),
            history=read_messages(request["history"]),
            sections=request.get("sections", ""),
            evidence=self.text,
            query=self.query,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Lets worker processes hand packets over; a read-only view cannot be pickled itself."""
        return _restored, (dict(self.document), self.text)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Packet):
            return NotImplemented
        return bool(self.document["packet_hash"] == other.document["packet_hash"])

    def __hash__(self) -> int:
        return hash(self.document["packet_hash"])

    def __repr__(self) -> str:
        budget = self.document["budget"]
        return (
            f"<Packet {self.trace_id} {self.status}: {len(self.document['packed_chunks'])} chunks,"
            f" {budget['packed_evidence']}/{budget['evidence_budget']} tokens>"
        )


def _restored(document: dict[str, Any], text: str) -> Packet:
    return Packet(MappingProxyType(document), text)


def _parse(data: str | bytes) -> dict[str, Any]:
    """The JSON object in `data`.

    Raises:
        InputError: no JSON object, not UTF-8, NaN, or a key that comes twice.
    """
    try:
        text = data.decode("utf-8-sig") if isinstance(data, bytes) else data
        document = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"The packet is not JSON: {json_fault(error)}",
            hint="Give the content of a context_packet.json",
        ) from error
    if not isinstance(document, dict):
        raise InputError(
            f"The packet is a JSON {type(document).__name__}, not an object",
            hint="Give the content of a context_packet.json",
        )
    return document


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} comes twice in one object")
    return values


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON number")
