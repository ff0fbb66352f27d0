"""`packhorse.pack` and its kin: what they take, what they refuse, what they give back."""

from pathlib import Path
from typing import Any

import pytest

import packhorse
from packhorse.errors import InputError
from packhorse.kb.local import LocalKnowledgeBase


@pytest.fixture
def note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file = tmp_path / "note.txt"
    file.write_text("The cache is reset with the red button.", encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        ({"pin": "note.txt#0000"}, "pin is one text"),
        ({"attach": "letter.md"}, "attach is one text"),
        ({"attach": Path("letter.md")}, "attach is one text"),
        ({"require_topics": "refunds"}, "require_topics is one text"),
        ({"require_topics": [""]}, "topic '' is blank"),
        ({"require_topics": [1]}, "require_topics holds 1"),
        ({"pin": [5]}, "pin holds 5"),
        ({"history": {}}, "not a list of messages"),
        ({"history": "hello"}, "not a list of messages"),
    ],
)
def test_a_keyword_of_the_wrong_kind_is_refused_by_name(
    note: Path, keywords: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        packhorse.pack("reset cache", note, **keywords)


def test_a_knowledge_base_that_pack_opened_is_closed_again(
    note: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[Path] = []
    close = LocalKnowledgeBase.close

    def noted(kb: LocalKnowledgeBase) -> None:
        closed.append(kb.path)
        close(kb)

    monkeypatch.setattr(LocalKnowledgeBase, "close", noted)
    packhorse.pack("reset cache", note)
    assert len(closed) == 1
    kb = packhorse.open_kb(note)
    assert packhorse.pack("reset cache", kb) == packhorse.pack("reset cache", kb)
    assert len(closed) == 1
    kb.close()


def test_none_is_none_for_every_keyword(note: Path) -> None:
    plain = packhorse.pack("reset cache", note, as_of="2026-01-15")
    nothing: dict[str, Any] = {"pin": None, "attach": None, "require_topics": None, "history": None}
    said = packhorse.pack("reset cache", note, as_of="2026-01-15", **nothing)
    assert said.to_json() == plain.to_json()


@pytest.mark.parametrize(
    ("query", "kb", "said"),
    [(5, "note.txt", "query is 5"), (None, "note.txt", "query is None"), ("x", None, "is None")],
)
def test_a_query_or_base_that_is_none_says_so(note: Path, query: Any, kb: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        packhorse.pack(query, note if kb else kb)


def test_settings_can_be_a_mapping_under_the_keys_of_a_file(note: Path) -> None:
    packet = packhorse.pack("reset cache", note, profile={"format": "plain", "mmr_lambda": 0.4})
    assert packet.text.count("[1] source=") == 1
    with pytest.raises(packhorse.ConfigError, match="mmr_lamda"):
        packhorse.pack("reset cache", note, profile={"mmr_lamda": 0.4})


def test_a_request_is_counted_for_the_model_that_it_names() -> None:
    talk = [{"role": "user", "content": "Hi"}]
    assert packhorse.count_request(talk).total_tokens == 8
    named = packhorse.count_request({"model": "gpt-4", "messages": talk, "max_tokens": 10})
    assert (named.window, named.left) == (8_192, 8_192 - 8 - 10)
    assert packhorse.count_request({"model": "gpt-4", "messages": talk}, "gpt-4o").window == 128_000
    gemini = packhorse.count_request({"model": "models/gemini-2.5-pro", "contents": "Hi"})
    assert (gemini.window, gemini.exact) == (1_048_576, False)


def test_a_request_for_an_unknown_model_is_refused() -> None:
    with pytest.raises(packhorse.UnknownModelError):
        packhorse.count_request({"model": "acme-local-7b", "messages": []})


@pytest.mark.parametrize("name", [7, "", " ", ["gpt-4"]])
def test_what_is_no_name_of_a_model_is_refused(name: Any) -> None:
    body = {"model": name, "messages": [{"role": "user", "content": "Hi"}]}
    with pytest.raises(InputError, match="no name of a model"):
        packhorse.count_request(body)
    assert packhorse.count_request(body, "gpt-4o").total_tokens == 8


def test_what_is_no_request_is_refused() -> None:
    for body in ({}, "text", 7, {"prompt": "x"}):
        with pytest.raises(InputError):
            packhorse.count_request(body)  # type: ignore[arg-type]  # what a caller may hand in
