"""An endpoint that writes the summary: asked once for each message, bounded, checked, replaced."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from packhorse.errors import ConfigError, SummaryError
from packhorse.window.messages import fit_messages
from packhorse.window.report import FittedMessages
from packhorse.window.summary import endpoint
from packhorse.window.summary.endpoint import (
    KEY_VARIABLE,
    PART_CHARACTERS,
    PURPOSE,
    EndpointSummariser,
)
from packhorse.window.summary.told import Told
from tests.posting.servers import KEY, MISBEHAVIOURS, QUICK, Reply, Served, ok, serving

TALK: list[dict[str, Any]] = [
    {"role": "user", "content": "I need a table for 4 at Chez Marie on Friday, by 19:30."},
    {"role": "assistant", "content": "We agreed on the terrace for 85 EUR. " + "How nice. " * 60},
    {"role": "user", "content": "Is the weather fine? " * 10},
    {"role": "assistant", "content": "It is fine. " * 30},
    {"role": "user", "content": "And now?"},
]


def says(text: Any) -> Reply:
    return ok(choices=[{"message": {"role": "assistant", "content": text}}])


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setattr(endpoint, "LIMITS", QUICK)
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    with serving(lambda _path, _body: says("They talked.")) as served:
        yield served


def fitted(server: Served, **options: Any) -> FittedMessages:
    by = EndpointSummariser(f"{server.url}/v1#tiny", limits=QUICK)
    given = {"max_tokens": 330, "policy": "summary", "summary_tokens": 130, "summariser": by}
    return fit_messages(options.pop("talk", TALK), **{**given, **options})


def test_what_is_written_stands_in_the_message_and_lost_facts_are_put_back(
    server: Served,
) -> None:
    server.script = [says("A table for 4 at Chez Marie on Friday by 19:30. Nothing was agreed.")]
    summary = fitted(server).summary
    assert summary is not None
    assert summary.by == f"{server.url}/v1/chat/completions"
    lines = summary.text.split("\n")
    assert lines[1] == "A table for 4 at Chez Marie on Friday by 19:30. Nothing was agreed."
    assert lines[2:] == ["[1] assistant: We agreed on the terrace for 85 EUR."]
    assert summary.notes == ("1 of 2 sentences put back whose facts it left out",)
    assert not summary.has_failed
    path, headers, body = server.asked[0]
    assert path == "/v1/chat/completions"
    assert "Authorization" not in headers
    assert (body["model"], body["temperature"]) == ("tiny", 0)
    assert "Summary so far:\n(none)" in body["messages"][1]["content"]
    assert "[1] user: I need a table for 4" in body["messages"][1]["content"]


def test_the_next_request_gives_the_summary_so_far_and_new_messages_alone(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    first = fitted(server)
    more = [
        *first,
        {"role": "assistant", "content": "Now it rains. " * 40},
        {"role": "user", "content": "Really?"},
    ]
    again = fitted(server, talk=more, summary=first.summary)
    assert len(server.asked) == 2
    asked = server.bodies()[1]["messages"][1]["content"]
    assert "They talked." in asked
    assert "And now?" in asked
    assert "How nice" not in asked
    assert again.summary is not None
    assert again.summary.turn == 3
    assert server.asked[0][1]["Authorization"] == f"Bearer {KEY}"


def test_a_number_that_nobody_said_goes_and_a_long_text_is_cut_at_sentences(
    server: Served,
) -> None:
    server.script = [says("They paid 99 EUR. " + "They talked about the evening. " * 40)]
    summary = fitted(server).summary
    assert summary is not None
    assert "99" not in summary.text
    assert "They talked about the evening." in summary.text
    assert summary.tokens <= summary.max_tokens == 130
    assert summary.notes[0] == "1 sentences with numbers that nobody said taken out"
    assert summary.notes[1].startswith("cut by ")
    assert "We agreed on the terrace for 85 EUR." in summary.text


@pytest.mark.parametrize("misbehaviour", MISBEHAVIOURS)
def test_when_the_endpoint_fails_sentences_are_quoted_and_it_is_said(
    server: Served, misbehaviour: str
) -> None:
    reply, said = MISBEHAVIOURS[misbehaviour]
    server.answer = lambda _path, _body: reply
    limits = replace(QUICK, max_answer_bytes=20_000)
    by = EndpointSummariser(f"{server.url}/v1", limits=limits)
    result = fitted(server, summariser=by)
    assert result.summary is not None
    assert result.summary.by == "extractive"
    assert result.summary.has_failed
    assert said in result.summary.notes[0]
    assert KEY not in result.report
    assert result.is_mended
    assert "We agreed on the terrace for 85 EUR." in result.summary.text


@pytest.mark.parametrize("text", [None, "", "  ", 3, "It cost 7777 EUR."])
def test_a_text_of_which_nothing_can_stay_is_a_failure(server: Served, text: Any) -> None:
    server.script = [says(text)]
    summary = fitted(server).summary
    assert summary is not None
    assert summary.has_failed


def test_long_conversations_go_in_parts_each_with_the_summary_so_far(server: Served) -> None:
    told = [Told(at, at, "user", "word " * 3000) for at in range(4)]
    told.append(Told(4, 4, "tool", "x" * (PART_CHARACTERS + 10)))
    assert EndpointSummariser(server.url, limits=QUICK).summarise("", told, 50) == "They talked."
    asked = [body["messages"][1]["content"] for body in server.bodies()]
    assert len(asked) == 6
    assert all(len(each) < PART_CHARACTERS + 200 for each in asked)
    assert ["They talked." in each for each in asked] == [False] + 5 * [True]
    assert sum(each.count("word") for each in asked) == 4 * 3000
    assert sum(each.count("x") for each in asked) == PART_CHARACTERS + 10


def test_a_url_that_cannot_be_used_is_refused() -> None:
    for url in ("not a url", "http://u:p@127.0.0.1/v1"):
        with pytest.raises(ConfigError, match="summariser"):
            fit_messages(TALK, policy="summary", summariser=url)
    assert PURPOSE.error is SummaryError
