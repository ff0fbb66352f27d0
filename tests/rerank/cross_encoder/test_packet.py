"""A whole packet with a reranker: what it changes, what is recorded, and the way without it."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from fixtures.tiny_reranker import write_tiny_reranker
from packhorse.api import pack
from packhorse.config import KnowledgeBasePolicy, Profile, RerankConfig, RerankerConfig
from packhorse.errors import ConfigError, RerankError, UnknownStrategyError
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.packet.packet import Packet
from packhorse.types.chunk import Chunk
from packhorse.types.query import Query
from packhorse.types.verdict import Check
from tests.posting.servers import Reply, Served, serving
from tests.rerank.cross_encoder.endpoints import cohere

QUESTION = "Which zebra eats porridge in the morning?"
TEXTS = {
    "zebra-1": "A zebra is a zebra is a zebra, and the zebra of the zoo is striped.",
    "zebra-2": "In the morning the old zebra eats porridge.",
    "porridge": "Porridge is made of oats. Porridge is eaten hot.",
    "morning": "In the morning the zoo opens.",
    "secret": "In the morning a zebra eats porridge in secret.",
}
POLICY = KnowledgeBasePolicy(name="zoo", blocked_sources=("secret",))


@pytest.fixture
def kb() -> MemoryKnowledgeBase:
    chunks = [Chunk(chunk_id=name, source_id=name, text=text) for name, text in TEXTS.items()]
    return MemoryKnowledgeBase(chunks, policy=POLICY)


@pytest.fixture
def server() -> Iterator[Served]:
    with serving(cohere) as served:
        yield served


class Preferring:
    """Holds one text for the answer, and counts its questions."""

    name = "preferring"

    def __init__(self, text: str) -> None:
        self.text = text
        self.asked: list[str] = []

    def scores(self, _query: str, texts: Sequence[str]) -> Sequence[float]:
        self.asked += texts
        return [0.9 if text == self.text else 0.1 for text in texts]


def entries(packet: Packet) -> dict[str, dict[str, Any]]:
    document = packet.to_dict()
    both = (*document["packed_chunks"], *document["excluded_chunks"])
    return {entry["chunk_id"]: entry for entry in both}


def check(packet: Packet) -> Check:
    (found,) = (each for each in packet.checks if each.name == "reranker")
    return found


def test_an_onnx_file_judges_and_the_packet_says_so(
    kb: MemoryKnowledgeBase, tmp_path: Path
) -> None:
    path = str(write_tiny_reranker(tmp_path))
    packet = pack(QUESTION, kb, reranker=path, as_of="2026-01-15")
    assert packet.to_dict()["reranker"] == {
        "model": "reranker.onnx",
        "scale": "logits",
        "weight": 1.0,
        "judged": 4,
        "fallback": "",
    }
    assert check(packet).detail == "reranker.onnx judged 4 of 5 candidates"
    found = entries(packet)
    assert found["zebra-2"]["reranker_rank"] == 1
    judged = found["zebra-2"]
    assert judged["relevance_score"] == pytest.approx(judged["reranker_score"], abs=0.001)
    assert found["zebra-2"]["retrieval_score"] != found["zebra-2"]["relevance_score"]
    assert found["secret"]["reranker_rank"] is None
    assert found["secret"]["reason_code"] == "blocked_source"
    (view,) = (each for each in packet.packed_chunks if each.chunk_id == "zebra-2")
    assert view.reranker_score == found["zebra-2"]["reranker_score"]


def test_what_may_not_be_packed_is_sent_to_nobody(kb: MemoryKnowledgeBase, server: Served) -> None:
    packet = pack(QUESTION, kb, reranker=server.url, as_of="2026-01-15")
    assert check(packet).status.value == "pass"
    (body,) = server.bodies()
    assert TEXTS["secret"] not in body["documents"]
    assert len(body["documents"]) == 4


@pytest.mark.parametrize("fails", [False, True])
def test_a_packet_replays_without_the_model(
    kb: MemoryKnowledgeBase, server: Served, *, fails: bool
) -> None:
    if fails:
        server.answer = lambda _path, _body: Reply(status=404)
    packet = pack(QUESTION, kb, reranker=server.url, as_of="2026-01-15")
    n_asked = len(server.asked)
    assert (check(packet).status.value == "warn") is fails
    server.answer = lambda _path, _body: Reply(status=500)
    again = Packet.from_json(packet.to_json()).replay(kb)
    assert again.same, str(again)
    assert len(server.asked) == n_asked


def test_a_refused_key_says_where_the_key_is_looked_for(
    kb: MemoryKnowledgeBase, server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answer = lambda _path, _body: Reply(status=401)
    packet = pack(QUESTION, kb, reranker=server.url, as_of="2026-01-15")
    assert "401 Unauthorized (The server wants a key: set PACKHORSE_RERANKER_KEY)" in (
        check(packet).detail
    )
    monkeypatch.setenv("PACKHORSE_RERANKER_KEY", "a-key-of-some-length")
    packet = pack(QUESTION, kb, reranker=server.url, as_of="2026-01-15")
    assert "(Check the key in PACKHORSE_RERANKER_KEY)" in check(packet).detail


def test_without_an_answer_relevance_is_retrievals_and_a_check_warns(
    kb: MemoryKnowledgeBase, server: Served
) -> None:
    server.answer = lambda _path, _body: Reply(payload=b"oops")
    packet = pack(QUESTION, kb, reranker=server.url, as_of="2026-01-15")
    plain = pack(QUESTION, kb, as_of="2026-01-15")
    assert packet.text == plain.text
    assert packet.status == "warning"
    assert "no JSON (Check that the URL is that of a rerank endpoint" in check(packet).detail
    assert check(packet).detail.endswith("; relevance is that of retrieval alone")
    assert "reranker_rank" not in entries(packet)["zebra-1"]
    assert "reranker" not in plain.to_dict()


def test_an_object_of_ones_own_judges_the_best_only(kb: MemoryKnowledgeBase) -> None:
    model = Preferring(TEXTS["porridge"])
    profile = {"reranker": {"model": "profile's own", "top": 3, "weight": 0.5}}
    packet = pack(QUESTION, kb, profile=profile, reranker=model, as_of="2026-01-15")
    document = packet.to_dict()
    assert document["profile"]["reranker"]["model"] == "preferring"
    assert document["reranker"]["scale"] == "probabilities"
    assert len(model.asked) == document["reranker"]["judged"] == 3
    found = entries(packet)
    judged = {name: e for name, e in found.items() if e["reranker_rank"] is not None}
    for entry in judged.values():
        mean = (entry["retrieval_score"] + entry["reranker_score"]) / 2
        assert entry["relevance_score"] == pytest.approx(mean, abs=1e-6)
    lowest = min(entry["relevance_score"] for entry in judged.values())
    others = [entry for name, entry in found.items() if name not in {*judged, "secret"}]
    assert others
    assert all(entry["relevance_score"] <= lowest for entry in others)
    assert packet.replay(kb).same


def test_what_relevance_is_made_of_stays_with_its_candidate(kb: MemoryKnowledgeBase) -> None:
    reranker = Preferring(TEXTS["porridge"])
    profile = {"reranker": {"model": "own", "top": 3, "weight": 1.0}}
    packet = pack(QUESTION, kb, profile=profile, reranker=reranker, as_of="2026-01-15")
    before = {name: each["rank"] for name, each in entries(pack(QUESTION, kb)).items()}
    after = {name: each["rank"] for name, each in entries(packet).items()}
    assert before != after
    for entry in entries(packet).values():
        total = sum(entry["relevance_parts"].values())
        assert total == pytest.approx(entry["retrieval_score"], abs=2e-6)


def test_a_budget_that_is_fitted_again_asks_once(kb: MemoryKnowledgeBase) -> None:
    model = Preferring(TEXTS["morning"])
    pack(QUESTION, kb, reranker=model, budget=150, as_of="2026-01-15")
    assert len(model.asked) == 4


def test_none_leaves_the_profiles_reranker_out(kb: MemoryKnowledgeBase) -> None:
    profile = {"reranker": {"model": "nowhere.onnx"}}
    packet = pack(QUESTION, kb, profile=profile, reranker="none", as_of="2026-01-15")
    assert packet.to_dict()["profile"]["reranker"] is None
    with pytest.raises(ConfigError, match=r"nowhere\.onnx"):
        pack(QUESTION, kb, profile=profile)
    with pytest.raises(UnknownStrategyError, match="Unknown reranker 'bge'"):
        pack(QUESTION, kb, reranker="bge")


def test_why_shows_both_words_about_a_candidate(kb: MemoryKnowledgeBase) -> None:
    packet = pack(
        QUESTION, kb, reranker=Preferring(TEXTS["zebra-2"]), budget=150, as_of="2026-01-15"
    )
    told = packet.explain("zebra-2")
    names = [stage.name for stage in told.stages]
    assert names == ["lexical", "dense", "retrieval", "reranker", "fused", "reranked", "mmr"]
    assert "reranker  1  (0.900000)" in str(told)
    assert told.counterfactuals
    assert "reranker  not judged" in str(packet.explain("secret"))


def test_a_diff_names_the_reranker_or_its_other_answers(kb: MemoryKnowledgeBase) -> None:
    def made(text: str | None) -> Packet:
        model = None if text is None else Preferring(TEXTS[text])
        return pack(QUESTION, kb, reranker=model, budget=150, as_of="2026-01-15")

    plain, one, other = made(None), made("zebra-2"), made("porridge")
    assert [each.key for each in plain.diff(one).inputs] == ["reranker"]
    (changed,) = one.diff(other).inputs
    assert (changed.key, changed.detail) == ("reranker.answers", "2 judged otherwise")
    assert one.diff(made("zebra-2")).same


def test_a_packet_with_a_reranker_is_read_back(kb: MemoryKnowledgeBase) -> None:
    packet = pack(QUESTION, kb, reranker=Preferring("x"), as_of="2026-01-15")
    assert Packet.from_json(packet.to_json()) == packet
    damaged = json.loads(packet.to_json())
    damaged["reranker"]["scale"] = "stars"
    with pytest.raises(Exception, match="reranker"):
        Packet.from_json(json.dumps(damaged))


@pytest.mark.parametrize(
    "wrong",
    [{"scale": "stars"}, {"top": 0}, {"weight": 1.5}, {"timeout_seconds": 0}],
)
def test_a_setting_out_of_range_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="reranker"):
        RerankerConfig(model="m.onnx", **wrong)


def test_an_evaluation_does_not_measure_a_reranker_that_judged_nothing(
    kb: MemoryKnowledgeBase, server: Served
) -> None:
    from packhorse.evaluate.configuration import Configuration
    from packhorse.evaluate.stages import Stages
    from tests.strategies import AS_OF

    server.answer = lambda _path, _body: Reply(status=404)
    profile = Profile(rerank=RerankConfig(reranker=RerankerConfig(model=server.url)))
    stages = Stages(
        kb, Configuration(name="c", profile=profile), {}, charge="rendered", clock=lambda: 0.0
    )
    with pytest.raises(RerankError, match=r"The reranker judged nothing: .*404"):
        stages.rank(Query(text=QUESTION, as_of=AS_OF))
