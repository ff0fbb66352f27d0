"""Endpoints that judge by the words that question and passage share, in both forms."""

from typing import Any

from packhorse.text.analysis import terms
from tests.posting.servers import Reply, ok

__all__ = ["cohere", "judged", "tei"]


def judged(query: str, texts: list[str]) -> list[float]:
    """Share of the question's words that stand in each text, 0..1."""
    asked = set(terms(query))
    return [len(asked & set(terms(text))) / max(1, len(asked)) for text in texts]


def _best_first(query: str, texts: list[str], field: str) -> list[dict[str, Any]]:
    items = [{"index": at, field: score} for at, score in enumerate(judged(query, texts))]
    return sorted(items, key=lambda item: -item[field])


def cohere(_path: str, body: dict[str, Any]) -> Reply:
    """Answers as `/v1/rerank` does."""
    return ok(results=_best_first(body["query"], body["documents"], "relevance_score"))


def tei(_path: str, body: dict[str, Any]) -> Reply:
    """Answers as text-embeddings-inference does."""
    import json

    return Reply(payload=json.dumps(_best_first(body["query"], body["texts"], "score")).encode())
