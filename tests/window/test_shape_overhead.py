"""What a provider's own shape adds to a conversation is charged."""

from __future__ import annotations

from dataclasses import replace

import pytest

from packhorse.render.messages import provider_messages
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.registry import counter_for
from packhorse.tokens.requests.count import count_request, request_counter
from packhorse.tokens.requests.turns import request_of
from packhorse.types.message import Message
from packhorse.types.request import RequestParts
from packhorse.window.shape_overhead import shape_overhead

BLANK = Message(role="user", content=" ")
ANSWER = Message(role="assistant", content="As form 3 says.")


@pytest.mark.parametrize("model", ["claude-sonnet-4-5", "gemini-2.5-pro"])
def test_the_sentence_in_the_place_of_a_blank_first_message_is_charged(model: str) -> None:
    spec, counter = model_spec(model), counter_for(model)
    parts = RequestParts(query="And now?", history=(BLANK, ANSWER))
    charged = request_counter(spec, counter).count(request_of(parts.messages())).total_tokens
    more = shape_overhead(parts, spec, counter)
    shaped = count_request(provider_messages(parts, spec.shape), spec, counter).total_tokens
    assert "left out" in str(provider_messages(parts, spec.shape))
    assert charged + more == shaped > charged
    told = replace(parts, history=(replace(BLANK, content="Hello?"), ANSWER))
    assert shape_overhead(told, spec, counter) == 0


def test_in_the_shape_of_openai_nothing_is_added() -> None:
    parts = RequestParts(query="And now?", history=(BLANK, ANSWER))
    assert shape_overhead(parts, model_spec("gpt-4o"), counter_for("gpt-4o")) == 0
