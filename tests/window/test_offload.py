"""Old results go to files and come back byte for byte, in every provider's shape."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import packhorse
from packhorse.errors import BudgetExceededError, InputError, StoreError
from packhorse.window.messages import fit_messages
from tests.promises import seldom
from tests.window.conversations import FIELDS, SHAPES, conversations, faults
from tests.window.test_fit import MODELS, recounted

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA", "detail": "low"}}


def call(name: str, content: Any) -> list[dict[str, Any]]:
    function = {"name": "read", "arguments": "{}"}
    return [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": name, "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": name, "content": content},
    ]


FIRST = "# Notes [draft]\r\nline two\n" + "word " * 300
BLOCKS = [{"type": "text", "text": "A photo of it. " * 60}, IMAGE]
TALK: list[dict[str, Any]] = [
    {"role": "user", "content": "Read it"},
    *call("a", FIRST),
    *call("b", BLOCKS),
    *call("c", FIRST),
    *call("d", "short"),
    *call("e", "word " * 200),
    {"role": "user", "content": "So?"},
]


def test_old_results_go_oldest_first_and_come_back_as_they_were(tmp_path: Path) -> None:
    fitted = fit_messages(TALK, max_tokens=600, offload=tmp_path)
    assert len(fitted) == len(TALK)
    assert [each.place for each in fitted.offloaded] == [2, 4, 6]
    for each in fitted.offloaded:
        assert fitted[each.place] == {**TALK[each.place], "content": each.marker}
        assert each.handle in each.marker
        assert f"{each.tokens} tokens" in each.marker
        back = packhorse.recall(each.handle, tmp_path)
        assert back == TALK[each.place]["content"]
        assert json.dumps(back) == json.dumps(TALK[each.place]["content"])
    assert "It begins: # Notes (draft)]" in fitted.offloaded[0].marker
    assert "Blocks: text, image_url. It begins: A photo" in fitted.offloaded[1].marker
    assert fitted.offloaded[0].handle == fitted.offloaded[2].handle
    assert len(list(tmp_path.iterdir())) == 2
    assert fitted.report.startswith("3 old results of")
    assert not fitted.is_mended
    again = fit_messages(list(fitted), max_tokens=600, offload=tmp_path)
    assert again.messages == fitted.messages
    assert again.offloaded == ()


def test_nothing_goes_while_the_conversation_fits(tmp_path: Path) -> None:
    folder = tmp_path / "none"
    assert fit_messages(TALK, max_tokens=8000, offload=folder).offloaded == ()
    assert not folder.exists()


def test_what_is_offloaded_and_then_left_out_is_found_by_its_decision(tmp_path: Path) -> None:
    talk = [*TALK[:5], {"role": "user", "content": "more " * 60}]
    talk += [*call("c", "third " * 300), *TALK[7:]]
    fitted = fit_messages(talk, max_tokens=330, offload=tmp_path)
    out = {at for at, decision in enumerate(fitted.decisions) if not decision.kept}
    gone = [each for each in fitted.offloaded if each.place in out]
    assert 0 < len(gone) < len(fitted.offloaded)
    for each in fitted.offloaded:
        reason = fitted.decisions[each.place].reason
        assert reason.endswith(f"; its result is in {each.handle}") == (each in gone)
        assert (each.marker in [message["content"] for message in fitted]) != (each in gone)
        assert packhorse.recall(each.handle, tmp_path) == talk[each.place]["content"]
    assert f"offloaded; {len(gone)} of them with messages that were left out" in fitted.report


def test_a_damaged_file_is_noticed_and_written_again(tmp_path: Path) -> None:
    handle = fit_messages(TALK, max_tokens=600, offload=tmp_path).offloaded[0].handle
    file = tmp_path / f"{handle.partition('-')[2]}.txt"
    file.write_bytes(b"changed")
    with pytest.raises(StoreError, match="was changed"):
        packhorse.recall(handle, tmp_path)
    fit_messages(TALK, max_tokens=600, offload=tmp_path)
    assert packhorse.recall(handle, tmp_path) == FIRST
    file.unlink()
    with pytest.raises(StoreError, match="No offloaded result"):
        packhorse.recall(handle, tmp_path)


@pytest.mark.parametrize(
    "handle",
    ["", "../secret", "text-../../etc/passwd", "text-" + "0" * 63, "text-" + "0" * 64 + "\n", 3],
)
def test_a_handle_is_no_path(tmp_path: Path, handle: Any) -> None:
    with pytest.raises(InputError, match="not a handle"):
        packhorse.recall(handle, tmp_path)


def test_a_directory_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x", encoding="utf-8")
    with pytest.raises(StoreError, match="Cannot write results"):
        fit_messages(TALK, max_tokens=600, offload=file)


@pytest.mark.parametrize("shape", SHAPES)
@seldom
@given(data=st.data())
def test_any_conversation_is_valid_and_nothing_is_lost(shape: str, data: st.DataObject) -> None:
    body = data.draw(conversations(shape))
    limit = data.draw(st.integers(20, 1500))
    model = MODELS[shape]
    with TemporaryDirectory() as folder:
        try:
            fitted = fit_messages(body, model=model, max_tokens=limit, offload=folder)
        except BudgetExceededError:
            return
        assert fitted.tokens == recounted(fitted.request, model) <= limit
        assert faults(shape, fitted.messages) == []
        items = json.dumps(body[FIELDS[shape]])
        for each in fitted.offloaded:
            back = packhorse.recall(each.handle, folder)
            assert json.dumps(back) in items
        again = fit_messages(fitted.request, model=model, max_tokens=limit, offload=folder)
        assert again.messages == fitted.messages
