"""Ollama's chat body is the chat shape with options, plain images and names of tools."""

from typing import Any

import pytest

from packhorse.errors import InputError
from packhorse.tokens.requests.turns import read_request
from tests.tokens.requests.bodies import IMAGE, SCHEMA, count


def test_arguments_may_be_an_object() -> None:
    call = {"function": {"name": "look", "arguments": {"at": "sky"}}}
    turn = read_request([{"role": "assistant", "tool_calls": [call]}]).turns[0]
    assert turn.texts == ("look", '{"at":"sky"}')


def test_images_stand_beside_the_content() -> None:
    counted = count([{"role": "user", "content": "Hi", "images": [IMAGE, IMAGE]}])
    assert counted.lines["query"] == 1 + 2 * 255


def test_what_binds_the_sampler_costs_nothing() -> None:
    body = {"messages": [{"role": "user", "content": "Hi"}]}
    extra: dict[str, Any] = {"format": SCHEMA, "keep_alive": "5m", "think": True, "options": {}}
    assert count({**body, **extra}).lines == count(body).lines


@pytest.mark.parametrize("field", ["template", "raw", "context", "suffix"])
def test_what_changes_the_prompt_is_refused_by_name(field: str) -> None:
    with pytest.raises(InputError, match=rf"^{field}:"):
        count({"messages": [], field: "x"})
