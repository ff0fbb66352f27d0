"""Framing figures agree with what the maker's own code makes of a dialogue."""

import pytest

from packhorse.tokens.models.table import model_spec
from packhorse.tokens.registry import counter_of
from packhorse.tokens.requests.count import count_request

# Tokens of `llama_models.llama3.chat_format.ChatFormat.encode_dialog_prompt`, llama-models 0.3.0.
DIALOGUES = [
    ([("user", "hi")], 11),
    ([("system", "be nice"), ("user", "hi")], 18),
    ([("user", "hi"), ("assistant", "yo"), ("user", "more")], 23),
]


@pytest.mark.parametrize(("dialogue", "tokens"), DIALOGUES)
def test_llama_3_takes_what_metas_own_format_takes(
    dialogue: list[tuple[str, str]], tokens: int
) -> None:
    spec = model_spec("llama-3-8b-instruct")
    messages = [{"role": role, "content": content} for role, content in dialogue]
    count = count_request(messages, spec, counter_of(spec))
    assert sum(count.lines.values()) == tokens
    assert count.exact


@pytest.mark.parametrize(("dialogue", "tokens"), DIALOGUES)
def test_later_llamas_are_never_counted_below_it(
    dialogue: list[tuple[str, str]], tokens: int
) -> None:
    spec = model_spec("llama-3.3-70b-instruct")
    messages = [{"role": role, "content": content} for role, content in dialogue]
    count = count_request(messages, spec, counter_of(spec))
    # The template of the model card adds a system message with two dates: 25 tokens.
    assert sum(count.lines.values()) >= tokens + 25
    assert "message framing" in count.estimated
