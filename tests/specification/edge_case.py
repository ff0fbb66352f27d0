"""Runs one self-contained situation of `fixtures/edge_cases` through the whole pipeline."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from packhorse.api import pack
from packhorse.config import KnowledgeBasePolicy, Profile
from packhorse.embed.registry import embedder
from packhorse.ingest.records import read_chunks
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.packet.packet import Packet

__all__ = ["Situation", "load_situation"]


class Situation:
    """A question over a handful of chunks, and what must come of it."""

    def __init__(self, data: dict[str, Any], folder: Path) -> None:
        self.data = data
        self.expect = data["expect"]
        records = folder / "chunks.jsonl"
        lines = [json.dumps(chunk, ensure_ascii=False) for chunk in data["chunks"]]
        records.write_text("\n".join(lines), encoding="utf-8")
        said: dict[str, Any] = data.get("policy", {})
        policy = KnowledgeBasePolicy(
            name="edge",
            mandatory=tuple(said.get("mandatory", ())),
            max_age_days=said.get("max_age_days"),
        )
        self.kb = MemoryKnowledgeBase(
            list(read_chunks(records)), policy=policy, embedder=embedder("minilm")
        )

    def run(self, **changes: Any) -> Packet:
        """The packet of the situation."""
        built_in = Profile()
        profile = replace(
            built_in, request=replace(built_in.request, **self.data.get("settings", {}))
        )
        arguments: dict[str, Any] = {
            "budget": self.data.get("budget"),
            "model": self.data.get("model"),
            "as_of": self.data["as_of"],
            "history": self.data.get("history"),
            "profile": profile,
            **changes,
        }
        return pack(self.data["query"], self.kb, **arguments)


def load_situation(fixtures_dir: Path, name: str, folder: Path) -> Situation:
    """The situation of that name, its chunks written to `folder`."""
    path = fixtures_dir / "edge_cases" / f"{name}.json"
    return Situation(json.loads(path.read_text(encoding="utf-8")), folder)
