"""Promises about everything that shares a window: evidence, turns, notes, examples and tools."""

from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from packhorse.api import count_request, pack
from packhorse.config import KnowledgeBasePolicy
from packhorse.errors import BudgetExceededError, ConfigError
from packhorse.kb.memory import MemoryKnowledgeBase
from packhorse.packet.packet import Packet
from packhorse.types.chunk import Chunk
from packhorse.types.ledger import FIXED_LINES
from tests.promises import seldom
from tests.window.conversations import FIELDS, faults

MODELS = {"gpt-4": "openai", "claude-sonnet-4-5": "anthropic", "gemini-2.5-pro": "gemini"}
QUESTION = "What may an office at home cost, and who looks the form up?"
SAID = (
    "office costs rent",
    "a hen house",
    "form 3 and form 4, naïve 漢字",
    "who pays a mortgage",
)
RULES = {
    "history": ("window", "summarise"),
    "tools": ("never", "whole"),
    "examples": ("whole",),
    "memory": ("whole",),
    "evidence": ("whole",),
}
NAMES = ("look_form_up", "send_mail", "pay_rent", "f")

texts = st.builds(lambda said, n: f"{said}. " * n, st.sampled_from(SAID), st.integers(1, 60))


def chunks_of(said: list[str]) -> list[Chunk]:
    return [
        Chunk(chunk_id=f"c{at}", source_id=f"s{at % 3}", text=text) for at, text in enumerate(said)
    ]


def talk_of(said: list[str]) -> list[dict[str, Any]]:
    """Turns, every third of them with a call of a tool."""
    talk: list[dict[str, Any]] = []
    for at, text in enumerate(said):
        talk.append({"role": "user", "content": text})
        if at % 3 == 0:
            function = {"name": NAMES[at % len(NAMES)], "arguments": "{}"}
            call = {"id": f"call{at}", "type": "function", "function": function}
            talk.append({"role": "assistant", "content": None, "tool_calls": [call]})
            talk.append({"role": "tool", "tool_call_id": f"call{at}", "content": text[:40]})
        talk.append({"role": "assistant", "content": text[:60]})
    return talk


def tools_of(said: list[str]) -> list[dict[str, Any]]:
    schema = {"type": "object", "properties": {"what": {"type": "string"}}}
    return [
        {"name": name, "description": text, "input_schema": schema}
        for name, text in zip(NAMES, said, strict=False)
    ]


def declared(draw: Callable[..., Any]) -> dict[str, dict[str, Any]]:
    """Floors, caps, priorities, growth and rules of some sections."""
    found: dict[str, dict[str, Any]] = {}
    for name, rules in RULES.items():
        if draw(st.booleans()):
            fields = {
                "floor": draw(st.sampled_from((None, 0, 100, "10%"))),
                # Turns are short: with a cap of theirs some have to go.
                "cap": draw(
                    st.sampled_from((200, 400) if name == "history" else (None, 900, "60%"))
                ),
                "priority": draw(st.sampled_from((None, 1, 4))),
                "growth": draw(st.sampled_from((None, 2))),
                "rule": draw(st.sampled_from(rules)),
            }
            found[name] = {key: value for key, value in fields.items() if value is not None}
    return found


def check_ledger(packet: Packet, model: str) -> None:
    """Every token of the request on exactly one line, and never more than the window."""
    lines = packet.document["budget"]
    fixed = sum(lines[name] for name in FIXED_LINES)
    counted = count_request(packet.request(), model)
    assert counted.total_tokens <= fixed + lines["packed_evidence"]
    assert counted.lines["tools"] == lines["tools"]
    assert (
        fixed + lines["output_reservation"] + lines["available_evidence"] == lines["total_window"]
    )
    assert fixed + lines["output_reservation"] + lines["packed_evidence"] <= lines["total_window"]
    assert lines["packed_evidence"] <= lines["evidence_budget"]
    if model == "gpt-4":
        assert counted.total_tokens == fixed + lines["packed_evidence"]


def check_sections(packet: Packet) -> None:
    """Rooms add up to the window at most, floors are kept where they can be, caps always."""
    sections = packet.document["sections"]
    assert sum(each["got"] for each in sections) <= packet.budget.total_window
    floors = sum(max(each["needs"], min(each["floor"], each["asked"])) for each in sections)
    for each in sections:
        most = each["asked"] if each["cap"] is None else min(each["cap"], each["asked"])
        assert each["needs"] <= each["got"] <= max(most, each["needs"])
        if floors <= packet.budget.total_window:
            assert each["got"] >= min(each["floor"], most)
    got = {each["name"]: each["got"] for each in sections}
    budget = packet.budget
    # Examples and turns are charged what they take, framing included, and framing has its line.
    assert budget.few_shot <= got.get("examples", 0)
    assert budget.tools <= got.get("tools", 0)
    assert budget.history <= got.get("history", 0)


def check_reasons(packet: Packet, given: dict[str, Any]) -> None:
    """Each example, tool and note exactly once, each with its reason."""
    document = packet.document
    for kind, key in (("examples", "example_id"), ("tools", "name")):
        told = document.get(kind, {kind: []})[kind]
        assert sorted(each[key] for each in told) == sorted(
            each.get("id", each.get("name")) for each in given[kind]
        )
        assert all(each["reason"] or each["reason_code"] == "all_fit" for each in told)
    called = {
        call["function"]["name"]
        for message in packet.messages("openai")
        for call in message.get("tool_calls", ())
    }
    defined = {each["function"]["name"] for each in packet.request("openai").get("tools", ())}
    assert called & {each["name"] for each in given["tools"]} <= defined


@seldom
@given(data=st.data(), model=st.sampled_from(sorted(MODELS)), budget=st.integers(100, 5000))
def test_whatever_shares_the_window_it_is_never_over_and_all_of_it_is_explained(
    data: st.DataObject, model: str, budget: int
) -> None:
    lists = st.lists(texts, max_size=8)
    given_: dict[str, Any] = {
        "history": talk_of(data.draw(lists)),
        "memory": [
            {"id": f"n{at}", "text": text[:200]} for at, text in enumerate(data.draw(lists))
        ],
        "examples": [
            {"id": f"e{at}", "input": text[:80] + str(at), "output": text, "label": text[0]}
            for at, text in enumerate(data.draw(lists))
        ],
        "tools": tools_of(data.draw(lists)),
        "sections": declared(data.draw),
        "budget": budget,
        "model": model,
        "as_of": "2026-01-15",
    }
    if given_["tools"]:
        given_["max_tools"] = data.draw(st.sampled_from((None, 0, 2)))
        given_["tool_tokens"] = data.draw(st.sampled_from((None, 150)))
    kb = MemoryKnowledgeBase(chunks_of(data.draw(lists)), policy=KnowledgeBasePolicy(name="any"))
    try:
        packet = pack(QUESTION, kb, **given_)
    except (BudgetExceededError, ConfigError):
        return
    check_ledger(packet, model)
    if "sections" in packet.document:
        check_sections(packet)
    check_reasons(packet, given_)
    shape = MODELS[model]
    assert not faults(shape, packet.request()[FIELDS[shape]])
    read = Packet.from_json(packet.to_json())
    assert read == packet
    assert pack(QUESTION, kb, **given_) == packet
    assert read.replay(kb).same
