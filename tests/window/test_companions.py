"""Examples and tools beside evidence: chosen, charged exactly, told, made again, compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import packhorse
from packhorse.config import KnowledgeBasePolicy
from packhorse.errors import BudgetExceededError, ConfigError, InputError, InvalidBudgetError
from packhorse.explain.beside import piece_explained
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.packet.packet import Packet
from packhorse.types.chunk import Chunk
from tests.tokens.templates.test_counter import CHATML, write_model
from tests.window.conversations import FIELDS, faults
from tests.window.test_beside_evidence import NOTES, OWN, QUESTION, turns

EXAMPLES: list[dict[str, Any]] = [
    {"id": f"e{n}", "input": f"Can I deduct {what}?", "output": answer, "label": answer[:3]}
    for n, (what, answer) in enumerate(
        [
            ("a desk for the office at home", "Yes, as equipment."),
            ("rent of the flat", "No, unless a room is an office."),
            ("the mortgage of my house", "Yes, in part."),
            ("a dog", "No."),
        ]
    )
]
TWIN = {"id": "twin", "input": QUESTION.lower(), "output": "Yes."}


def tool(name: str, description: str, *arguments: str) -> dict[str, Any]:
    properties = {argument: {"type": "string"} for argument in arguments}
    parameters = {"type": "object", "properties": properties}
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


TOOLS = [
    tool("send_mail", "Sends a mail to a person.", "recipient", "text"),
    tool("deduct_expenses", "Deducts expenses of a home office.", "area", "rent"),
    tool("f", "Looks a form up.", "form"),
    tool("book_flight", "Books a flight between two airports.", "origin", "destination"),
]


@pytest.fixture(scope="module")
def kb(root: Path) -> Any:
    with packhorse.open_kb(root / "fixtures/tax_kb") as opened:
        yield opened


def packed(kb: Any, **more: Any) -> Packet:
    given: dict[str, Any] = {"as_of": "2026-01-15", "budget": 900}
    return packhorse.pack(QUESTION, kb, **(given | {"examples": EXAMPLES, "tools": TOOLS} | more))


def names_in(packet: Packet, kind: str) -> list[str]:
    key = "name" if kind == "tools" else "example_id"
    return [each[key] for each in packet.document[kind][kind] if each["included"]]


@pytest.mark.parametrize("model", ["gpt-4o", "claude-sonnet-4-5", "gemini-2.5-pro"])
def test_the_request_holds_them_and_the_ledger_charges_them_to_the_token(
    kb: Any, model: str
) -> None:
    packet = packed(
        kb, model=model, max_tools=2, history=turns(3), memory=NOTES, sections=OWN,
        examples=[*EXAMPLES, TWIN],
    )  # fmt: skip
    budget, document = packet.budget, packet.document
    counted = packhorse.count_request(packet.request(), model)
    assert counted.total_tokens == budget.fixed + budget.packed_evidence
    assert counted.lines["tools"] == budget.tools == document["tools"]["tokens"] > 0
    assert budget.few_shot == document["examples"]["tokens"]
    window = budget.fixed + budget.output_reservation + budget.available_evidence
    assert window == budget.total_window
    # What the conversation calls stays, and the best besides it.
    assert names_in(packet, "tools") == ["deduct_expenses", "f"]
    told = {each["example_id"]: each for each in document["examples"]["examples"]}
    assert told["twin"]["reason_code"] == "twin_of_the_question"
    assert "input" not in told["twin"]
    for shape in ("openai", "anthropic", "gemini"):
        body = packet.request(shape)
        assert not faults(shape, body[FIELDS[shape]])
        assert json.dumps(body["tools"]).count("deduct_expenses") == 1
        assert json.dumps(body).count("Yes, as equipment.") == 1
    read = Packet.from_json(packet.to_json())
    assert read == packet
    assert read.replay(kb).same


@pytest.mark.parametrize("model", ["gpt-4o", "claude-sonnet-4-5", "gemini-2.5-pro"])
def test_a_definition_is_read_back_with_its_keys_in_order_and_all_its_digits(
    kb: Any, model: str
) -> None:
    schema = {
        "type": "object",
        "properties": {"why": {"type": "string"}, "area": {"type": "number", "minimum": 1e-9}},
    }
    given = {"name": "f", "input_schema": schema, "description": "Deducts."}
    packet = packed(kb, model=model, tools=[given])
    read = Packet.from_json(packet.to_json())
    assert json.dumps(read.request("anthropic")["tools"]) == json.dumps([given])
    assert packhorse.count_request(read.request(), model).lines["tools"] == read.budget.tools
    assert read.replay(kb).same


@pytest.mark.parametrize("definition", ["7", "{", "[" * 100_000])
def test_a_packet_whose_definition_is_no_object_is_refused(kb: Any, definition: str) -> None:
    document = json.loads(packed(kb).to_json())
    document["tools"]["tools"][0]["definition"] = definition
    with pytest.raises(InputError, match="definition of the tool 'send_mail' is no JSON object"):
        Packet.from_json(json.dumps(document))


def test_without_them_nothing_changes(kb: Any) -> None:
    bare = packed(kb, examples=None, tools=None)
    assert packed(kb, examples=[], tools=[]) == bare
    assert bare.budget.tools == bare.budget.few_shot == 0
    assert "sections" not in bare.document
    assert "tools" not in bare.request()


def test_examples_follow_the_instructions_and_precede_the_conversation(kb: Any) -> None:
    history = [{"role": "system", "content": "S"}, {"role": "assistant", "content": "Hello."}]
    packet = packed(kb, examples=EXAMPLES[:1], tools=None, history=history)
    roles = [message["role"] for message in packet.messages("openai")]
    assert roles == ["system", "system", "user", "assistant", "assistant", "user"]
    claude = packet.messages("anthropic")["messages"]
    assert [each["role"] for each in claude] == ["user", "assistant", "user", "assistant", "user"]


def test_every_one_of_them_is_explained(kb: Any) -> None:
    packet = packed(kb, sections={"examples": {"cap": 40}}, tool_tokens=60, pin_tools=["f"])
    for kind, name in (("example", "e1"), ("tool", "f"), ("tool", "book_flight")):
        told = piece_explained(packet.document, name)
        assert told is not None
        assert (told.kind, told.name) == (kind, name)
        assert told.reason
    section = piece_explained(packet.document, "examples")
    assert section is not None
    assert "cap 40 of" in section.reason
    assert packet.budget.few_shot <= 40
    assert packet.budget.tools <= 60


def test_a_diff_names_what_changed(kb: Any) -> None:
    packet = packed(kb)
    other = [dict(EXAMPLES[0], output="No."), *EXAMPLES[1:]]
    found = {each.key: each for each in packet.diff(packed(kb, examples=other)).inputs}
    assert found["examples"].detail == "other examples: e0"
    found = {each.key: each for each in packet.diff(packed(kb, tools=TOOLS[:3])).inputs}
    assert found["tools"].detail == "other tools: book_flight"
    found = {
        each.key: each for each in packet.diff(packed(kb, max_tools=1, pin_tools=["f"])).inputs
    }
    assert (found["max_tools"].now, found["pin_tools"].now) == (1, ["f"])
    rooms = packed(kb, sections={"tools": {"rule": "whole", "cap": 60}})
    assert {each.key for each in packet.diff(rooms).inputs} == {"sections"}


def test_tools_that_must_stay_are_in_even_over_a_cap_and_a_check_says_so(kb: Any) -> None:
    packet = packed(kb, max_tools=1, pin_tools=["send_mail", "book_flight"])
    assert names_in(packet, "tools") == ["send_mail", "book_flight"]
    (check,) = (each for each in packet.checks if each.name == "tools")
    assert check.status == "warn"
    assert "at most 1 tools asked for" in check.detail


def test_a_tool_goes_when_the_call_that_needs_it_does(kb: Any) -> None:
    kept = packed(kb, max_tools=1, history=turns(2))
    assert names_in(kept, "tools") == ["f"]
    dropped = packed(kb, max_tools=1, history=turns(2), sections={"history": {"cap": 75}})
    assert names_in(dropped, "tools") == ["deduct_expenses"]
    assert dropped.replay(kb).same


def test_definitions_without_room_are_an_error_that_names_them(kb: Any) -> None:
    large = [tool(f"t{n}", "word " * 2000) for n in range(4)]
    with pytest.raises(BudgetExceededError) as error:
        packed(kb, model="gpt-4", tools=large)
    assert dict(error.value.parts)["tools"] > 8000


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ({"tools": None, "max_tools": 2}, "Give tools"),
        ({"max_tools": -1}, "Set max_tools"),
        ({"tool_tokens": "many"}, "Set tool_tokens"),
        ({"pin_tools": ["unknown"]}, "send_mail"),
        ({"tools": [{"type": "web_search"}]}, "the provider runs"),
        ({"tools": [TOOLS[0], TOOLS[0]]}, "a name of its own"),
        ({"tools": "no-such-file.json"}, "a file with tools"),
        ({"tools": {"messages": []}}, "A tool is"),
        ({"examples": [{"input": "?"}]}, "An example is"),
        ({"examples": [EXAMPLES[0], EXAMPLES[0]]}, "an id of its own"),
    ],
)
def test_what_cannot_be_used_is_refused_with_a_hint(
    kb: Any, given: dict[str, Any], hint: str
) -> None:
    with pytest.raises((ConfigError, InputError, InvalidBudgetError)) as error:
        packed(kb, **given)
    assert hint in error.value.hint


def test_turns_that_find_no_room_are_summed_up_where_that_is_declared(kb: Any) -> None:
    talk = turns(12)
    rule = {"history": {"rule": "summarise", "cap": 500}}
    packet = packed(kb, history=talk, sections=rule, examples=None, tools=None)
    told = packet.document["history"]
    summary = told["summary"]
    said = [
        m["content"] for m in packet.messages("openai") if "[Summary of" in (m["content"] or "")
    ]
    assert len(said) == 1
    assert summary["n_messages"] == len(summary["covered"]) == told["dropped"]
    assert told["kept"] + told["dropped"] == len(talk)
    assert told["reason"].endswith(f"in {summary['tokens']} of {summary['max_tokens']} tokens")
    counted = packhorse.count_request(packet.request(), "gpt-4o").total_tokens
    assert counted == packet.budget.fixed + packet.budget.packed_evidence
    (section,) = (each for each in packet.document["sections"] if each["name"] == "history")
    assert section["rule"] == "summarise"
    assert section["got"] <= 500
    assert Packet.from_json(packet.to_json()) == packet
    assert packet.replay(kb).same
    # What was fitted is the conversation of the next request: nothing more goes.
    again = packed(
        kb,
        history=packet.document["request"]["history"],
        sections=rule,
        examples=None,
        tools=None,
    )
    assert again.messages() == packet.messages()


def test_without_room_for_a_summary_the_reason_says_so(kb: Any) -> None:
    rule = {"history": {"rule": "summarise", "cap": 80}}
    packet = packed(kb, history=turns(2), sections=rule, examples=None, tools=None)
    assert "summary" not in packet.document["history"]
    assert packet.document["history"]["reason"].endswith("there was no room for a summary")


def test_tools_are_chosen_within_the_room_of_their_section(kb: Any) -> None:
    packet = packed(kb, sections={"tools": {"rule": "whole", "cap": 60}})
    assert "deduct_expenses" in names_in(packet, "tools")
    assert 0 < packet.budget.tools <= 60
    out = [each for each in packet.document["tools"]["tools"] if not each["included"]]
    assert {each["reason_code"] for each in out} == {"exceeded_remaining_budget"}
    assert packet.replay(kb).same


def test_a_template_renders_them_and_the_ledger_is_what_it_renders(tmp_path: Path) -> None:
    table = write_model(tmp_path, CHATML)
    chunks = [Chunk(chunk_id="c", source_id="s", text="An office at home is deductible.")]
    kb = MemoryKnowledgeBase(chunks, policy=KnowledgeBasePolicy(name="any"))
    given: dict[str, Any] = {
        "model": "open-model", "models": table, "budget": 300, "as_of": "2026-01-15",
        "examples": EXAMPLES, "history": turns(2), "max_tools": 2, "tools": TOOLS,
        "profile": {"output_reservation": 500},
    }  # fmt: skip
    packet = packhorse.pack(QUESTION, kb, **given)
    budget = packet.budget
    counted = packhorse.count_request(packet.request(), "open-model", models=table)
    assert counted.exact
    assert counted.total_tokens == budget.fixed + budget.packed_evidence
    assert counted.lines["tools"] == budget.tools > 0
    assert budget.few_shot > 0
    assert packet.replay(kb, models=table).same


def test_caps_and_forms_that_cannot_be_used_together_are_refused(kb: Any, tmp_path: Path) -> None:
    custom = {"type": "custom", "custom": {"name": "free", "description": "Takes any text."}}
    assert names_in(packed(kb, tools=[custom]), "tools") == ["free"]
    with pytest.raises(InputError, match="free text"):
        packed(kb, tools=[custom], model="claude-sonnet-4-5")
    declared = {"functionDeclarations": [{"name": "a"}, {"name": "b"}]}
    assert names_in(packed(kb, tools=[declared]), "tools") == ["a", "b"]
    for content in (b"\xff", b"[1"):
        path = tmp_path / "tools.json"
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"tools\.json"):
            packed(kb, tools=path)
    unusable: list[Any] = [
        {"name": " "},
        7,
        {"functionDeclarations": [{}]},
        {"name": "a", "x": {1}},
        {"name": "a", "input_schema": {"minimum": float("nan")}},
    ]
    for tool_given in unusable:
        with pytest.raises(InputError, match=r"tools\[0\]"):
            packed(kb, tools=[tool_given])


def test_evidence_that_gave_way_to_examples_or_tools_is_traced_to_them(kb: Any) -> None:
    given: dict[str, Any] = {
        "model": "gpt-4",
        "budget": None,
        "sections": {"examples": {"priority": 1}},
        "tools": None,
    }
    many = [{"input": f"May I deduct item {n}?", "output": "yes " * 100} for n in range(30)]
    few = packed(kb, examples=many[:5], **given)
    for more in ({"examples": many}, {"examples": many[:5], "tools": [tool("t", "word " * 900)]}):
        other = packed(kb, **(given | more))
        (changed,) = few.diff(other).inputs
        assert changed.effect is not None
        assert changed.key == ("tools" if "tools" in more else "examples")
        assert len(other.packed_chunks) < len(few.packed_chunks)
