"""What every knowledge base must do: inherit, say how one is made, and run it with pytest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from packhorse.embed.questions import embed_questions
from packhorse.protocols import NamesChunks, ScoresChunks
from packhorse.testing.embedder import WordEmbedder
from packhorse.types.chunk import Chunk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packhorse.protocols import Embedder, KnowledgeBase, SearchHit

__all__ = ["KnowledgeBaseContract"]

TEXTS = {
    "c1": "The refund window is thirty days for unopened goods.",
    "c2": "Home office expenses can be deducted by the self-employed.",
    "c3": "Order BENCH-100821 was written in C++ by a multi-agent team; don't panic.",
    "c4": "초과근무 승인 규칙",
    "c5": "Le café naïve est fermé",
    "c6": "Правила возврата товара",
    "c7": "מדיניות החזרות",
    "c8": "東京都の税務署に申告する",
    "c9": "--- *** ---",
}
NAMED = (
    ("ada", "Ada Bright", "Ada Bright directed The Silver\nHeron, a drama about the sea."),
    ("heron", "The Silver Heron", "The Silver Heron was shot in Port\nEllery."),
    ("port", "Port Ellery", "Port Ellery is a town on the coast."),
    ("wordless", "", "--- *** ---"),
)
NOT_SYNTAX = (
    "AND", "NOT", "refund OR", '"unterminated', "*", "NEAR(", "(", "^", "terms:refund", "refund~2",
    "[a TO z]", "+refund -days", "refund^99", "\\", "{", "row:1", "'", "\x00", "refund\x00days",
)  # fmt: skip


def chunks_of(texts: dict[str, str]) -> list[Chunk]:
    """One chunk a text, each from a source of its own."""
    return [
        Chunk(chunk_id=name, source_id=f"source-{name}", text=text) for name, text in texts.items()
    ]


class KnowledgeBaseContract:
    """Tests of one implementation of `packhorse.protocols.KnowledgeBase`."""

    def make(self, chunks: Sequence[Chunk], embedder: Embedder | None) -> KnowledgeBase:
        """A knowledge base of these chunks; without an embedder it has no vectors."""
        raise NotImplementedError

    def _ask(self, kb: KnowledgeBase, text: str, limit: int = 10) -> Any:
        embedder = kb.embedder()
        vector = embed_questions(embedder, [text])[0] if embedder else None
        return kb.search(text, vector, limit)

    def test_get_returns_existing_chunks_and_leaves_out_others(self) -> None:
        chunks = chunks_of(TEXTS)
        kb = self.make(chunks, None)
        found = kb.get(["c2", "nobody", "c1", "c2"])
        assert dict(found) == {"c1": chunks[0], "c2": chunks[1]}
        kb.close()

    def test_snapshot_depends_on_content_and_not_on_order(self) -> None:
        chunks = chunks_of(TEXTS)
        made = [
            self.make(chunks, None),
            self.make(chunks[::-1], WordEmbedder()),
            self.make(chunks[1:], None),
            self.make(chunks_of({**TEXTS, "c1": "other"}), None),
        ]
        snapshots = [kb.snapshot() for kb in made]
        assert snapshots[0] == snapshots[1]
        assert len(set(snapshots)) == 3
        assert all(len(snapshot) == 64 for snapshot in snapshots)
        for kb in made:
            kb.close()

    def test_order_of_the_chunks_does_not_change_what_is_found(self) -> None:
        chunks = chunks_of(TEXTS)
        first, second = (self.make(some, WordEmbedder()) for some in (chunks, chunks[::-1]))
        for text in ("refund for home office", "C++", "東京都"):
            assert _shown(self._ask(first, text)) == _shown(self._ask(second, text))
        first.close()
        second.close()

    def test_words_of_every_script_are_found(self) -> None:
        kb = self.make(chunks_of(TEXTS), None)
        asked = {
            "refunds": "c1",
            "deduct office": "c2",
            "multi-agent": "c3",
            "C++": "c3",
            "don't": "c3",
            "BENCH-100821": "c3",
            "초과근무": "c4",
            "café": "c5",
            "возврата": "c6",
            "החזרות": "c7",
            "税務署": "c8",
        }
        for text, expected in asked.items():
            assert kb.search(text, None, 3).lexical[0].chunk_id == expected, text
        kb.close()

    def test_query_text_is_never_syntax(self) -> None:
        kb = self.make(chunks_of(TEXTS), WordEmbedder())
        for text in NOT_SYNTAX:
            result = self._ask(kb, text)
            if result.note:
                assert result.note == "no_searchable_terms"
                assert not result.lexical
                assert not result.dense
        for text in ("", "   ", "!!!", "\n\t"):
            result = self._ask(kb, text)
            assert (result.note, result.lexical, result.dense) == ("no_searchable_terms", (), ())
        kb.close()

    def test_empty_and_wordless_knowledge_bases_say_so(self) -> None:
        empty = self.make([], WordEmbedder())
        assert self._ask(empty, "refund").note == "empty_knowledge_base"
        assert empty.stats()["chunks"] == 0
        empty.close()
        wordless = self.make(chunks_of({"a": "!!!", "b": "---"}), WordEmbedder())
        result = self._ask(wordless, "refund")
        assert (result.note, result.lexical, result.dense) == ("no_searchable_text", (), ())
        wordless.close()

    def test_ties_are_broken_by_chunk_id_at_every_cut(self) -> None:
        names = ["h", "c", "a", "g", "b", "f", "d", "e", *(f"z{n:03d}" for n in range(100))]
        chunks = chunks_of(dict.fromkeys(names, "identical words here"))
        kb = self.make(chunks, WordEmbedder())
        for limit in (1, 3, 8, 50, 200):
            result = self._ask(kb, "identical words", limit)
            expected = sorted(names)[:limit]
            assert [hit.chunk_id for hit in result.lexical] == expected
            assert [hit.chunk_id for hit in result.dense] == expected
        kb.close()

    def test_scores_fall_and_stay_under_the_ideal(self) -> None:
        kb = self.make(chunks_of(TEXTS), WordEmbedder())
        result = self._ask(kb, "refund of office expenses in days")
        for hits in (result.lexical, result.dense):
            assert list(hits) == sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))
            assert all(round(hit.score, 6) == hit.score for hit in hits)
        assert 0 < result.lexical[0].score <= result.lexical_ideal
        assert all(-1.000001 <= hit.score <= 1.000001 for hit in result.dense)
        kb.close()

    def test_any_chunk_can_be_scored_by_words_where_the_knowledge_base_can(self) -> None:
        kb = self.make(chunks_of(TEXTS), None)
        if isinstance(kb, ScoresChunks):
            found = kb.search("home office refund", None, 10).lexical
            known = {hit.chunk_id: hit.score for hit in found}
            asked = ["c9", "nobody", *known, "c4"]
            scores = kb.lexical_scores("home office refund", asked)
            assert scores.tolist() == [known.get(name, 0.0) for name in asked]
            assert known
            assert kb.lexical_scores("!!!", ["c1"]).tolist() == [0.0]
            assert kb.lexical_scores("home", []).tolist() == []
        kb.close()

    def test_unknown_words_raise_the_ideal_and_change_no_score(self) -> None:
        kb = self.make(chunks_of(TEXTS), None)
        known = kb.search("refund window", None, 3)
        mixed = kb.search("refund window zyzzyva", None, 3)
        assert mixed.lexical_ideal > known.lexical_ideal
        assert [hit.score for hit in mixed.lexical] == [hit.score for hit in known.lexical]
        assert kb.search("zyzzyva", None, 3).lexical == ()
        kb.close()

    def test_dense_search_finds_the_text_itself_first(self) -> None:
        kb = self.make(chunks_of(TEXTS), WordEmbedder())
        for name in ("c1", "c2", "c5", "c8"):
            best = self._ask(kb, TEXTS[name], 1).dense[0]
            assert best.chunk_id == name
            assert abs(best.score - 1) < 1e-5
        kb.close()

    def test_zero_vectors_are_never_found_and_find_nothing(self) -> None:
        kb = self.make(chunks_of(TEXTS), WordEmbedder())
        everything = self._ask(kb, "refund", 100).dense
        assert "c9" not in {hit.chunk_id for hit in everything}
        embedder = kb.embedder()
        assert embedder is not None
        assert kb.search("refund", embed_questions(embedder, [""])[0], 5).dense == ()
        kb.close()

    def test_vectors_come_in_the_order_asked(self) -> None:
        kb = self.make(chunks_of(TEXTS), WordEmbedder())
        vectors = kb.vectors(["c8", "c1"])
        assert vectors is not None
        expected = WordEmbedder().embed([TEXTS["c8"], TEXTS["c1"]])
        assert vectors.shape == expected.shape
        assert abs(vectors - expected).max() < 1e-6
        kb.close()

    def test_without_an_embedder_there_are_no_vectors(self) -> None:
        kb = self.make(chunks_of(TEXTS), None)
        assert kb.embedder() is None
        assert kb.vectors(["c1"]) is None
        assert kb.search("refund", WordEmbedder().embed(["refund"])[0], 5).dense == ()
        kb.close()

    def test_limit_zero_finds_nothing(self) -> None:
        kb = self.make(chunks_of(TEXTS), WordEmbedder())
        result = self._ask(kb, "refund", 0)
        assert (result.lexical, result.dense) == ((), ())
        kb.close()

    def test_names_lead_to_chunks_where_names_are_known(self) -> None:
        chunks = [
            Chunk(chunk_id=name, source_id=name, header=header, text=text)
            for name, header, text in NAMED
        ]
        first, second = (self.make(some, None) for some in (chunks, chunks[::-1]))
        if isinstance(first, NamesChunks) and isinstance(second, NamesChunks):
            asked = "Where did Ada Bright film the heron?"
            named, mentioned = first.named(asked), first.mentions(chunks, asked)
            assert (named, mentioned) == (second.named(asked), second.mentions(chunks, asked))
            assert [each.chunk_id for each in named] == ["ada"]
            assert [[each.chunk_id for each in found] for found in mentioned] == [
                ["heron"], ["port"], [], [],
            ]  # fmt: skip
            references = [*named, *(each for found in mentioned for each in found)]
            assert all(0 < each.strength <= 1 for each in references)
            assert all(round(each.strength, 6) == each.strength for each in references)
            assert mentioned[1][0].name == "Port Ellery"
        first.close()
        second.close()

    def test_text_in_which_names_are_sought_is_never_syntax(self) -> None:
        chunks = chunks_of(TEXTS)
        kb = self.make(chunks, None)
        if isinstance(kb, NamesChunks):
            for text in (*NOT_SYNTAX, "", "](", "\u00a7", "[a](b.md#c)", "x" * 10_000):
                assert kb.named(text) == ()
                assert len(kb.mentions(chunks, text)) == len(chunks)
        kb.close()

    def test_stats_count_chunks_and_sources(self) -> None:
        kb = self.make(chunks_of(TEXTS), None)
        stats = kb.stats()
        assert stats["chunks"] == len(TEXTS)
        assert stats["sources"] == len(TEXTS)
        assert stats["snapshot"] == kb.snapshot()
        kb.close()


def _shown(result: Any) -> tuple[Any, ...]:
    hits: tuple[SearchHit, ...] = (*result.lexical, *result.dense)
    figures = (result.lexical_ideal, result.note)
    return (*((hit.chunk_id, hit.score) for hit in hits), *figures)
