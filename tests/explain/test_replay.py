"""A packet is made again from itself: the same bytes, or the first difference and what moved."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from packhorse.api import open_kb, pack, resolve_profile
from packhorse.config import KnowledgeBasePolicy
from packhorse.errors import BudgetError, InputError
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.packet.canonical import identify
from packhorse.packet.packet import Packet
from packhorse.profiles.profile import profile_to_dict
from packhorse.protocols import KnowledgeBase
from packhorse.types.chunk import Chunk
from tests.conftest import ROOT
from tests.explain.random_packs import all_ids, random_packets, random_request
from tests.properties.hashed_embedder import HashedEmbedder
from tests.tokens.templates.test_counter import CHATML, write_model

QUERY = "Can I deduct home office expenses?"
SEEDS = ("0", "1", "4242")
PER_SEED = 8


class NoEmbedder:
    """Stands in for a model that is not there any more."""

    fingerprint = "gone"
    dimension = 2

    def embed(self, texts: Any) -> Any:
        raise AssertionError(f"asked to embed {texts!r}")


@pytest.fixture
def tax(fixtures_dir: Path) -> KnowledgeBase:
    return open_kb(fixtures_dir / "tax_kb")


def in_memory(kb: KnowledgeBase, **changes: str | None) -> MemoryKnowledgeBase:
    """The same chunks, some with another text (or none at all), and the vectors they had."""
    ids = all_ids(kb)
    chunks = dict(kb.get(ids))
    vectors = kb.vectors(ids)
    assert vectors is not None
    rows = [row for row, name in enumerate(ids) if changes.get(name, "") is not None]
    kept: list[Chunk] = []
    for row in rows:
        chunk = chunks[ids[row]]
        text = changes.get(ids[row])
        kept.append(chunk if text is None else replace(chunk, text=text))
    return MemoryKnowledgeBase(
        kept, policy=kb.policy, embedder=kb.embedder(), vectors=vectors[rows]
    )


def test_random_packets_replay_to_the_same_bytes_in_processes_of_other_hash_seeds(
    fixtures_dir: Path, tmp_path: Path
) -> None:
    attachments = sorted((fixtures_dir / "prompts").glob("*.md"))[:2]
    sources = [fixtures_dir / "tax_kb", fixtures_dir / "medical_kb"]
    opened = [open_kb(source) for source in sources]
    chance = random.Random(2026)  # noqa: S311 - drawn the same way each time, and no secret
    lines: list[str] = []
    while len(lines) < PER_SEED * len(SEEDS):
        which = chance.randrange(2)
        request = random_request(chance, opened[which], attachments)
        try:
            packet = request.pack(opened[which])
        except BudgetError:
            continue
        path = tmp_path / f"{len(lines)}.json"
        path.write_bytes(packet.to_json().encode())
        lines.append(f"{path}\t{sources[which]}")
    for place, seed in enumerate(SEEDS):
        done = subprocess.run(
            [sys.executable, "-m", "tests.explain.replay_worker"],
            input="\n".join(lines[place * PER_SEED : (place + 1) * PER_SEED]),
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        assert done.stdout.splitlines() == [""] * PER_SEED


def test_packets_over_memory_replay_to_the_same_bytes() -> None:
    for _, (kb, request, packet) in zip(range(20), random_packets(21), strict=False):
        told = packet.replay(kb)
        assert told.same, (request, str(told))
        assert told.difference is None
        assert told.missing == ()


def test_pins_attachments_and_a_conversation_come_from_the_packet(
    tax: KnowledgeBase, tmp_path: Path
) -> None:
    paths = [tmp_path / "b notes.md", tmp_path / "a.txt"]
    paths[0].write_text("# Heading\n\nRent is 12,000 a year.\n")
    paths[1].write_text("The office has 200 square feet.\n")
    history = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Yes?"}]
    packet = pack(
        QUERY, tax, budget=3_000, pin=["tax-kb-0151"], attach=paths, history=history,
        require_topics=["zzz"],
    )  # fmt: skip
    for path in paths:
        path.unlink()
    assert str(packet.replay(tax)) == f"[PASS] Replayed: the same {len(packet.to_json())} bytes"


def test_no_embedder_is_needed(tax: KnowledgeBase, tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("Rent is 12,000 a year.\n")
    profile = tmp_path / "profile.yaml"
    profile.write_text("min_domain_closeness: 0.28\n")  # as it stands, whatever the embedder is
    packet = pack(QUERY, tax, budget=2_000, attach=[note], profile=profile)
    ids = all_ids(tax)
    kb = MemoryKnowledgeBase(
        tax.get(ids).values(), policy=tax.policy, embedder=NoEmbedder(), vectors=tax.vectors(ids)
    )
    told = packet.replay(kb)
    assert told.difference is not None
    assert (told.difference.path, told.difference.now) == ("kb.embedder", "gone")
    assert [line for line in told.moved if "embedder" in line]


def test_a_cut_conversation_is_taken_as_it_was_cut(tax: KnowledgeBase) -> None:
    history = [
        {"role": role, "content": f"{n} " + "word " * 30}
        for n in range(6)
        for role in ("user", "assistant")
    ]
    profile = {"history_max_tokens": 120}
    packet = pack(QUERY, tax, budget=2_000, history=history, profile=profile, as_of="2026-01-15")
    assert packet.document["history"]["dropped"] > 0
    told = packet.replay(tax)
    assert told.same
    assert "messages that did not fit are not in the packet" in told.missing[0]


def test_a_changed_and_a_vanished_chunk_are_named(tax: KnowledgeBase) -> None:
    packet = pack(QUERY, tax, budget=2_800)
    ids = [chunk.chunk_id for chunk in packet.packed_chunks if chunk.reason_code == "ranked"]
    changed, vanished = ids[:2]
    told = packet.replay(in_memory(tax, **{changed: "Home office rules.", vanished: None}))
    assert not told.same
    assert told.corpus.changed == (changed,)
    assert told.corpus.vanished == (vanished,)
    assert told.difference is not None
    assert told.difference.was != told.difference.now
    text = str(told)
    assert text.startswith("[WARN] Different: ")
    assert f"[INFO] Candidates changed: {changed}" in text


def test_a_new_chunk_is_named(tax: KnowledgeBase) -> None:
    gone = "tax-kb-0151"
    packet = pack(QUERY, in_memory(tax, **{gone: None}), budget=2_800)
    told = packet.replay(in_memory(tax))
    assert told.corpus.new == (gone,)
    assert told.corpus.changed == told.corpus.vanished == ()


def test_a_chunk_that_must_be_in_and_is_gone_is_no_traceback(tax: KnowledgeBase) -> None:
    packet = pack(QUERY, tax, budget=2_800)
    told = packet.replay(in_memory(tax, regulatory_disclaimer=None))
    assert (told.same, told.difference) == (False, None)
    assert "regulatory_disclaimer" in told.error
    assert told.corpus.vanished == ("regulatory_disclaimer",)


def test_the_recorded_policy_is_used_and_todays_is_named(
    fixtures_dir: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "tax_kb"
    shutil.copytree(fixtures_dir / "tax_kb", folder)
    for name in ("rerank_config.yaml", "coverage_requirements.yaml", "prompts"):
        (tmp_path / name).symlink_to(fixtures_dir / name)
    packet = pack(QUERY, folder, budget=2_800)
    policy = folder / "kb.yaml"
    policy.write_text(policy.read_text().replace("0.85", "0.15").replace("[taxhacks_forum]", "[]"))
    profile = folder / "profile.yaml"
    profile.write_text(profile.read_text() + "mmr_lambda: 0.2\n")
    told = packet.replay(folder)
    assert told.same
    assert "blocked_sources, trust: the recorded one was used" in told.moved[0]
    assert "in mmr_lambda" in told.moved[1]


def test_versions_that_moved_are_named_and_do_not_count_as_a_difference(tax: KnowledgeBase) -> None:
    document = pack(QUERY, tax, budget=2_800).to_dict()
    document["made_with"] = {"packhorse": "0.0.1", "tokenizer": "0.2", "model_row": "0" * 64}
    told = reidentified(document).replay(tax)
    assert told.same
    assert told.moved[0].startswith("Packhorse has changed: 0.0.1 then, ")
    assert told.moved[1].startswith("The tokenizer's library has changed: 0.2 then, ")
    assert told.moved[2] == "The model's row in the model table has changed: gpt-4o"


def test_a_packet_without_the_newer_fields_replays(tax: KnowledgeBase) -> None:
    document = pack(QUERY, tax, budget=2_800).to_dict()
    for name in ("similarities", "copies", "made_with"):
        del document[name]
    for name in ("attached", "room"):
        del document["packing"][name]
    del document["profile"]["max_per_source"]
    for entry in document["packed_chunks"]:
        del entry["packing_tokens"]
    told = reidentified(document).replay(tax)
    assert told.same
    assert "of an earlier version" in told.missing[0]


def test_a_packet_from_before_mentions_were_followed_replays_as_it_was(tax: KnowledgeBase) -> None:
    then = {
        "follow": False,
        "named_weight": 0.0,
        "mention_weight": 0.0,
        "length_weight": 0.0,
        "alike_weight": 0.0,
    }
    settings = profile_to_dict(resolve_profile(tax, None))
    document = pack(QUERY, tax, budget=2_800, profile={**settings, **then}).to_dict()
    for name in (*then, "unnamed_share", "mention_limit"):
        del document["profile"][name]
    for entry in (*document["packed_chunks"], *document["excluded_chunks"]):
        del entry["relevance_parts"]
    packet = reidentified(document)
    told = packet.replay(tax)
    assert told.same, told
    assert told.document is not None
    assert told.document["profile"]["follow"] is False
    now = pack(QUERY, tax, budget=2_800)
    assert {change.key for change in packet.diff(now).inputs} >= {"follow", "length_weight"}


def test_a_packet_from_before_likeness_counted_replays_as_it_was(tax: KnowledgeBase) -> None:
    settings = profile_to_dict(resolve_profile(tax, None))
    then = pack(QUERY, tax, budget=2_800, profile={**settings, "alike_weight": 0.0})
    document = then.to_dict()
    del document["profile"]["alike_weight"]
    entries = (*document["packed_chunks"], *document["excluded_chunks"])
    assert not any("alike" in entry["relevance_parts"] for entry in entries)
    told = reidentified(document).replay(tax)
    assert told.same, told
    now = pack(QUERY, tax, budget=2_800)
    assert any("alike" in entry["relevance_parts"] for entry in now.to_dict()["packed_chunks"])
    assert {change.key for change in then.diff(now).inputs} == {"alike_weight"}


def test_a_packet_with_settings_that_are_gone_replays_without_them(tax: KnowledgeBase) -> None:
    now = pack(QUERY, tax, budget=2_800)
    document = now.to_dict()
    for name in ("min_domain_closeness", "min_domain_share"):
        del document["profile"][name]
    document["profile"] |= {"min_domain_overlap": 0.5, "min_domain_similarity": 0.35}
    for fields in document["profile"]["query_types"].values():
        del fields["examples"]
    packet = reidentified(document)
    told = packet.replay(tax)
    assert told.same, told
    (missing,) = told.missing
    assert missing.endswith("nothing any more: min_domain_overlap, min_domain_similarity")
    changed = {change.key: (change.was, change.now) for change in packet.diff(now).inputs}
    assert changed["min_domain_overlap"] == (0.5, None)
    assert not any(key.endswith(".examples") and not each for key, (_, each) in changed.items())


def test_a_packet_of_another_schema_says_why_it_does_not_replay(tax: KnowledgeBase) -> None:
    document = {**pack(QUERY, tax, budget=2_800).to_dict(), "schema_version": "2"}
    with pytest.raises(InputError, match="schema_version '2', this program reads '1'"):
        Packet.from_json(json.dumps(document))


def test_a_setting_that_an_earlier_version_did_not_have_has_not_changed(tax: KnowledgeBase) -> None:
    document = pack(QUERY, tax, budget=2_800).to_dict()
    del document["profile"]["counting"]
    told = reidentified(document).replay(tax)
    assert told.same
    assert told.moved == ()


def test_a_packet_that_its_provider_counted_says_why_it_is_not_made_again(
    tax: KnowledgeBase,
) -> None:
    document = pack(QUERY, tax, budget=2_800).to_dict()
    document["profile"]["counting"] = "provider"
    document["tokenizer"]["library"] = "the provider"
    told = reidentified(document).replay(tax)
    assert not told.same
    assert told.error == "the provider counted it, and a replay asks no provider"
    assert str(told).splitlines()[-1].startswith("[HINT] Pack the question again")


def test_vectors_of_another_embedder_are_told_apart(tax: KnowledgeBase) -> None:
    packet = pack(QUERY, tax, budget=2_800)
    chunks = tax.get(all_ids(tax)).values()
    told = packet.replay(MemoryKnowledgeBase(chunks, policy=tax.policy, embedder=HashedEmbedder()))
    assert "vector has 384 numbers, those of the knowledge base have" in told.error
    assert [line for line in told.moved if "embedder" in line]


def test_chunk_ids_cannot_speak_for_the_replay() -> None:
    name = "a\n[PASS] Replayed: the same 1 bytes\x1b[2J"
    policy = KnowledgeBasePolicy(name="notes")
    kb = MemoryKnowledgeBase([Chunk(chunk_id=name, source_id="s", text="office")], policy=policy)
    packet = pack("office", kb, as_of="2026-01-15")
    told = str(packet.replay(MemoryKnowledgeBase([], policy=policy)))
    assert "a\\n[PASS] Replayed: the same 1 bytes\\x1b[2J" in told
    assert not [line for line in told.splitlines() if line.startswith("[PASS]")]


def test_a_file_of_models_may_lie_elsewhere_and_a_changed_template_is_named(
    tax: KnowledgeBase, tmp_path: Path
) -> None:
    folders = [tmp_path / "then", tmp_path / "now", tmp_path / "later"]
    for folder in folders:
        folder.mkdir()
    then, now = (write_model(folder, CHATML) for folder in folders[:2])
    later = write_model(folders[2], f"Chat. {CHATML}")
    profile = {"model": "open-model", "output_reservation": 256}
    packet = pack(QUERY, tax, budget=4_000, profile=profile, models=then, as_of="2026-01-15")
    assert packet.replay(tax, then).same
    moved = packet.replay(tax, [now])
    assert moved.same, str(moved)
    changed = packet.replay(tax, str(later))
    assert not changed.same
    assert f"The chat template has changed: {folders[2] / 'model'}" in changed.moved


def test_settings_in_python_are_recorded_as_they_were_used(tax: KnowledgeBase) -> None:
    from packhorse.config import Profile, RerankConfig, Weights

    weights = Weights(relevance=1 / 3, trust=0.123456789)
    profile = Profile(rerank=RerankConfig(weights=weights, mmr_lambda=2 / 3))
    packet = pack(QUERY, tax, budget=1_500, profile=profile, as_of="2026-01-15")
    assert packet.document["profile"]["mmr_lambda"] == 0.666667
    assert packet.replay(tax).same


def reidentified(document: dict[str, Any]) -> Packet:
    """The packet of an edited document, its hashes made anew."""
    for name in ("trace_id", "packet_hash"):
        del document[name]
    identify(document)
    return Packet.from_json(json.dumps(document))
