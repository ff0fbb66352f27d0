"""The formula, feedback and the rankings it is measured beside, over a set of a few passages."""

import json
from collections.abc import Sequence
from dataclasses import fields, replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.ranking.__main__ import SETS, main
from evals.ranking.data import Collection, Features, load, store
from evals.ranking.features import features_of
from evals.ranking.feedback import feedback, gate
from evals.ranking.formula import CHOSEN, NO_PARTS, Weights, floors, relevance
from evals.ranking.leave_one_out import GRID, leave_one_out
from evals.ranking.lexical import Lexicon
from evals.ranking.recall import BUDGETS, mean_recall, packed
from packhorse.config import KnowledgeBasePolicy, RetrievalConfig
from packhorse.embed.minilm import MiniLmEmbedder
from packhorse.evaluate.metrics.gold_packed import gold_recall
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.text.analysis import query_terms, terms
from packhorse.types.arrays import FloatArray
from packhorse.types.chunk import Chunk
from tools import train_ranker

TITLES = ("Ed Wood", "Glen or Glenda", "Cats", "Dogs", "Rain")
TEXTS = (
    "He wrote Glen or Glenda, a film about clothes.",
    "It was shot in four days.",
    "They sleep on four legs.",
    "They bark on four legs.",
    "It falls.",
)
QUESTIONS = ("How long did Ed Wood's film take?", "Which pets have four legs?")


def unit(seed: int, n: int) -> FloatArray:
    made = np.abs(np.random.default_rng(seed).normal(size=(n, 8)))
    scaled: FloatArray = made / np.linalg.norm(made, axis=1, keepdims=True)
    return scaled.astype(np.float32)


@pytest.fixture(scope="module")
def collection() -> Collection:
    return Collection(
        name="small",
        titles=TITLES,
        texts=TEXTS,
        title_terms=tuple(tuple(terms(title)) for title in TITLES),
        passage_terms=tuple(
            tuple(terms(f"{title}\n{text}")) for title, text in zip(TITLES, TEXTS, strict=True)
        ),
        costs=np.array([100, 200, 300, 400, 500]),
        vectors=unit(0, 5),
        questions=QUESTIONS,
        question_terms=tuple(tuple(query_terms(question)) for question in QUESTIONS),
        question_vectors=unit(1, 2),
        gold=(np.array([0, 1]), np.array([2, 3])),
    )


@pytest.fixture(scope="module")
def features(collection: Collection) -> Features:
    return features_of(collection)


def test_without_parts_the_formula_is_todays_relevance(features: Features) -> None:
    for question in range(features.n_questions):
        assert relevance(features, question, NO_PARTS) == pytest.approx(
            floors(features, question)["today"]
        )


def test_a_named_passage_and_what_it_mentions_gain(features: Features) -> None:
    before = relevance(features, 0, NO_PARTS)
    after = relevance(features, 0, Weights(named=0.1, mention=0.2))
    assert after[0] > before[0]
    assert after[1] > before[1]
    assert after[2:] == pytest.approx(before[2:])


def test_long_passages_lose_by_length(features: Features) -> None:
    lost = relevance(features, 1, NO_PARTS) - relevance(features, 1, Weights(length=0.05))
    assert lost[0] > 0  # the longest
    assert lost[4] < 0  # the shortest


@given(
    st.builds(Weights, **{each.name: st.floats(0, 2, allow_nan=False) for each in fields(Weights)})
)
def test_relevance_is_a_share_for_any_weights(weights: Weights) -> None:
    scores = relevance(SMALL, 0, weights)
    assert ((scores >= 0) & (scores <= 1)).all()


SMALL = Features(
    ends=np.array([0, 3]),
    edge_ends=np.array([0, 1]),
    n_gold=np.array([1]),
    agreement_gate=np.array([0.5]),
    named_gate=np.array([0.5]),
    rows=np.arange(3),
    costs=np.array([10, 20, 30]),
    is_gold=np.array([0, 1, 0]),
    words=np.array([0.9, 0.2, 0.0]),
    direction=np.array([0.8, 0.4, 0.1]),
    by_words=np.array([1, 2, 0]),
    by_direction=np.array([1, 2, 3]),
    named=np.array([0.25, 0.0, 0.0]),
    length=np.array([0.5, -0.5, 0.0]),
    nearest=np.array([[1, 2, 0, 0, 0], [0, 2, 0, 0, 0], [0, 0, 0, 0, 0]]),
    nearest_cosines=np.array([[0.7, 0.3, -1, -1, -1], [0.7, 0.5, -1, -1, -1], [-1.0] * 5]),
    alike_words=np.array([0.2, 0.4, 0.0]),
    alike_direction=np.array([0.6, 0.2, 0.0]),
    edge_sources=np.array([0]),
    edge_targets=np.array([1]),
    edge_strengths=np.array([0.5]),
)


def test_the_formula_adds_up_by_hand() -> None:
    weights = Weights(
        named=0.2, mention=0.5, unnamed=0.4, length=0.1, alike_words=0.1, alike_direction=0.2
    )
    # 0.85 + 0.05 - 0.05 + 0.5 * 0.14; the second is mentioned by the best with half strength.
    first = [0.92, 0.3 + 0.05 + 0.5 * 0.08, 0.05]
    mention = 0.5 * (0.5 + 0.4 * 0.5) * 0.5
    assert relevance(SMALL, 0, weights).tolist() == pytest.approx(
        [first[0], first[1] + mention, first[2]]
    )


def test_rrf_adds_reciprocal_ranks() -> None:
    assert floors(SMALL, 0)["rrf"].tolist() == pytest.approx([2 / 61, 2 / 62, 1 / 63])


def test_words_are_scored_as_the_product_scores_them(collection: Collection) -> None:
    chunks = [
        Chunk(chunk_id=str(row), source_id=str(row), text=text, header=title)
        for row, (title, text) in enumerate(zip(TITLES, TEXTS, strict=True))
    ]
    product = MemoryKnowledgeBase(chunks, policy=KnowledgeBasePolicy(name="small"))
    lexicon = Lexicon(collection.passage_terms)
    for question in QUESTIONS:
        result = product.search(question, None, 10)
        shares = lexicon.shares(query_terms(question))
        assert {hit.chunk_id: hit.score / result.lexical_ideal for hit in result.lexical} == {
            str(row): pytest.approx(share, abs=1e-6) for row, share in enumerate(shares) if share
        }


def test_feedback_is_the_weighted_mean_of_cosines_to_the_others(collection: Collection) -> None:
    first = np.array([0.9, 0.5, 0.3, 0.2, 0.1])
    rows = np.arange(5)
    found = feedback(first, rows, Lexicon(collection.passage_terms), collection.vectors)
    weights = np.maximum(first - 0.1, 1e-6)
    cosines = collection.vectors.astype(np.float64) @ collection.vectors.T
    for row in rows:
        others = [other for other in rows if other != row]
        mean = (weights[others] * cosines[row, others]).sum() / weights[others].sum()
        assert found.direction[row] == pytest.approx(mean, abs=1e-6)


@pytest.mark.parametrize(
    ("agreement", "named", "expected"),
    [(0.3, 0.0, 0.0), (0.5, 0.0, 0.5), (0.9, 0.0, 1.0), (0.9, 0.75, 0.25), (0.9, 1.0, 0.0)],
)
def test_feedback_counts_where_the_best_agree_and_nothing_is_named(
    agreement: float, named: float, expected: float
) -> None:
    assert gate(agreement, named) == pytest.approx(expected)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 90)), min_size=1), st.integers(0, 200))
def test_packing_skips_only_what_does_not_fit(rows: Sequence[tuple[int, int]], budget: int) -> None:
    scores = np.array([score / 9 for score, _ in rows])
    costs = np.array([cost for _, cost in rows])
    kept = packed(scores, costs, budget)
    assert sum(costs[kept]) <= budget
    left = budget
    for row in sorted(range(len(rows)), key=lambda row: (-scores[row], row))[:100]:
        fits = scores[row] > 0 and costs[row] <= left
        assert (row in kept) == fits
        left -= costs[row] if fits else 0


def test_recall_is_that_of_the_product() -> None:
    reached = mean_recall(SMALL, lambda question: floors(SMALL, question)["today"])
    for budget, recall in zip(BUDGETS, reached, strict=True):
        kept = packed(floors(SMALL, 0)["today"], SMALL.costs, budget)
        assert recall == gold_recall([str(row) for row in kept], ["1"])


def test_weights_fitted_without_a_set_do_not_depend_on_it(features: Features) -> None:
    other = replace(features, is_gold=1 - features.is_gold)
    third = replace(features, is_gold=np.zeros_like(features.is_gold))
    one = list(leave_one_out({"a": features, "b": other}, n_questions=2, seed=1))
    two = list(leave_one_out({"a": features, "b": third}, n_questions=2, seed=1))
    assert one[1].weights == two[1].weights
    assert {field.name for field in fields(Weights)} == set(GRID)
    assert CHOSEN != NO_PARTS


def write_set(folder: Path) -> None:
    folder.mkdir(parents=True)
    folder.joinpath("corpus.jsonl").write_text(
        '{"id": "a", "title": "Ed Wood", "text": "He wrote Glen or Glenda."}\n'
        '{"id": "b", "title": "Glen or Glenda", "text": "It was shot in four days."}\n',
        encoding="utf-8",
    )
    folder.joinpath("queries.jsonl").write_text(
        '{"id": "q", "query": "How long did Ed Wood\'s film take?", "gold": ["b"]}\n'
        '{"id": "r", "query": "Who is the king?", "gold": []}\n',
        encoding="utf-8",
    )


def test_features_come_back_from_the_cache_and_a_damaged_file_is_none(tmp_path: Path) -> None:
    folder, cache, embedder = tmp_path / "set", tmp_path / "cache", MiniLmEmbedder()
    write_set(folder)
    assert load(folder, embedder, cache) is None
    store(SMALL, folder, embedder, cache)
    found = load(folder, embedder, cache)
    assert found is not None
    for each in fields(Features):
        assert np.array_equal(getattr(found, each.name), getattr(SMALL, each.name))
    for file in cache.rglob("*.npz"):
        file.write_bytes(file.read_bytes()[:50])
    assert load(folder, embedder, cache) is None


def test_the_program_prints_both_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("one", "two"):
        write_set(tmp_path / name)
    shared = ["--data", str(tmp_path), "--sets", "one,two", "--cache", str(tmp_path / "cache")]
    assert main(shared) == 0
    assert "| one | formula | 1.000 | 1.000 | 1.000 |" in capsys.readouterr().out
    assert main([*shared, "--leave-one-out"]) == 0
    assert "| two | left out | 1.000 | 1.000 | 1.000 |" in capsys.readouterr().out


def test_a_missing_set_is_an_error_with_a_hint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--data", str(tmp_path), "--sets", "none"]) == 2
    assert "[HINT]" in capsys.readouterr().err


def test_the_trainer_adds_up_what_the_product_adds_up(features: Features) -> None:
    without = train_ranker.relevance(features, 0, train_ranker.NO_PARTS)
    assert without.tolist() == floors(features, 0)["today"].tolist()
    config = RetrievalConfig(length_weight=0.0)
    scores = train_ranker.relevance(features, 0, config)
    named, mentioned = scores[0], scores[1]
    assert named > without[0]
    assert without[1] < mentioned <= round(config.mention_limit * named, 6)


def test_weights_are_fitted_and_written_so_that_people_can_read_them(
    features: Features, tmp_path: Path
) -> None:
    objective = train_ranker.Objective({"small": features}, n_questions=2, seed=0)
    fitted = train_ranker.fit(objective, ["small"])
    assert objective(["small"], fitted) >= objective(["small"], train_ranker.NO_PARTS)
    row = {"set": "small", "left_out": [0.5, 0.6, 0.7]}
    text = train_ranker.readable({"seed": 0, "recall": [row, row]})
    assert json.loads(text) == {"seed": 0, "recall": [row, row]}
    assert text.count("\n") == 7
    assert train_ranker.main(["--data", str(tmp_path), "--sets", "nothing"]) == 2


def test_the_weights_that_ship_say_where_they_come_from() -> None:
    told = json.loads((files("packhorse") / "data" / "relevance.json").read_text(encoding="utf-8"))
    assert all(value in train_ranker.GRID[name] for name, value in told["weights"].items())
    assert told["weights"].keys() == train_ranker.GRID.keys()
    assert [row["set"] for row in told["recall"]] == list(SETS)
    assert (told["seed"], told["budgets_tokens"]) == (0, list(BUDGETS))
