"""What becomes of results that are too large: one by one, largest first, and never pinned ones."""

from pathlib import Path
from typing import Any

import pytest

from packhorse.errors import BudgetExceededError
from packhorse.tokens.models.table import model_spec
from packhorse.window.growing import GrowingConversation
from packhorse.window.messages import fit_messages
from packhorse.window.shapes.registry import SHAPES

SAID = ("word " * 500, "short", "word " * 40)
PARALLEL: dict[str, dict[str, Any]] = {
    "claude-sonnet-4-5": {
        "messages": [
            {"role": "user", "content": "q"},
            {
                "role": "assistant",
                "content": [
                    {"type": "tool_use", "id": name, "name": "f", "input": {}} for name in "abc"
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": name, "content": said}
                    for name, said in zip("abc", SAID, strict=True)
                ],
            },
        ]
    },
    "gemini-2.5-flash": {
        "contents": [
            {"role": "user", "parts": [{"text": "q"}]},
            {
                "role": "model",
                "parts": [{"functionCall": {"name": name, "args": {}}} for name in "abc"],
            },
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"name": name, "response": {"result": said}}}
                    for name, said in zip("abc", SAID, strict=True)
                ],
            },
        ]
    },
}


@pytest.mark.parametrize("model", PARALLEL)
def test_of_several_results_in_one_message_only_the_large_one_is_replaced(model: str) -> None:
    request = PARALLEL[model]
    fitted = fit_messages(request, model=model, max_tokens=450)
    (gone,) = fitted.elided
    assert (gone.place, gone.result) == (2, 0)
    field = next(iter(request))
    results = SHAPES[model_spec(model).shape].results
    first, *others = results(fitted[2])
    assert gone.marker in (first, first["result"] if isinstance(first, dict) else None)
    assert others == results(request[field][2])[1:]
    assert fitted.report == "1 result of the latest tool call replaced"
    growing = GrowingConversation(model=model, max_tokens=450)
    growing.extend(request[field])
    assert growing.fitted().messages == fitted.messages
    # Where more has to go, each has the tokens that are its own.
    least = fit_messages(request, model=model, max_tokens=fitted.tokens - 1)
    assert [each.result for each in least.elided] == [0, 2]
    assert least.elided[0].tokens > 8 * least.elided[1].tokens > 0
    assert least.report == "2 results of the latest tool call replaced"


def runs_of(*results: str) -> list[dict[str, Any]]:
    talk: list[dict[str, Any]] = [{"role": "user", "content": "q"}]
    for n, said in enumerate(results):
        call = {"id": f"c{n}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        talk += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{n}", "content": said},
        ]
    return talk


def test_a_pinned_result_is_whole_or_does_not_fit(tmp_path: Path) -> None:
    old, latest = runs_of("word " * 600, "ok"), runs_of("word " * 600)
    for talk in (old, latest):
        with pytest.raises(BudgetExceededError, match="pinned messages 6"):
            fit_messages(talk, max_tokens=300, pin=[2], offload=tmp_path)
    assert list(tmp_path.iterdir()) == []
    fitted = fit_messages(
        runs_of("word " * 600, "word " * 200, "ok"), max_tokens=700, pin=[2], offload=tmp_path
    )
    assert fitted[2]["content"] == "word " * 600
    assert [each.place for each in fitted.offloaded] == [4]
