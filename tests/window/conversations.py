"""Random conversations in every provider's shape, and what a provider would say about one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

__all__ = ["FIELDS", "SHAPES", "Step", "body_of", "conversations", "faults"]

SHAPES = ("openai", "openai-responses", "anthropic", "gemini")
FIELDS = {
    "openai": "messages",
    "openai-responses": "input",
    "anthropic": "messages",
    "gemini": "contents",
}

LONGEST = 395
HUGE = 5_000
"""Words of a turn that is larger than any limit tried."""
WORDS = st.sampled_from(("", "yes", "a short word", "naïve 漢字 🙂", "<|endoftext|> [INST]"))
LONG = st.integers(1, 400).map(lambda n: "word " * (n if n < LONGEST else HUGE))
SAID = st.one_of(
    WORDS, LONG, st.text(max_size=40).map(lambda text: text.encode("utf-8", "ignore").decode())
)

Step = tuple[str, Any]
Reading = tuple[str, list[str], list[str], bool]


def steps() -> st.SearchStrategy[list[Step]]:
    """What happens: words, calls with their results, and what goes wrong in logs."""
    ids = st.lists(st.sampled_from(("a", "b", "c")), min_size=1, max_size=3, unique=True)
    return st.lists(
        st.one_of(
            st.tuples(st.just("user"), SAID),
            st.tuples(st.just("assistant"), SAID),
            st.tuples(st.just("call"), st.tuples(ids, SAID)),
            st.tuples(st.just("call_and_word"), st.tuples(ids, SAID)),
            st.tuples(st.just("half_call"), ids),
            st.tuples(st.just("orphan"), ids),
            st.tuples(st.just("system"), WORDS),
        ),
        max_size=14,
    )


def conversations(shape: str) -> st.SearchStrategy[Mapping[str, Any]]:
    """Request bodies of a shape that end with a word of the user's somewhere."""
    return st.builds(
        lambda before, word, after: body_of(shape, [*before, ("user", word), *after]),
        steps(),
        SAID,
        steps().map(lambda after: [step for step in after if step[0] != "user"][:4]),
    )


def body_of(shape: str, told: Sequence[Step]) -> Mapping[str, Any]:
    """A request in which these things happen, in order."""
    write = WRITERS[shape]
    items = [item for kind, value in told for item in write(kind, value)]
    body: dict[str, Any] = {FIELDS[shape]: items}
    if shape == "anthropic":
        body |= {"system": "Be terse.", "max_tokens": 100}
    if shape == "gemini":
        body["systemInstruction"] = {"parts": [{"text": "Be terse."}]}
    return body


def _openai(kind: str, value: Any) -> list[dict[str, Any]]:
    if kind in ("user", "assistant", "system"):
        return [{"role": kind, "content": value}]
    ids, text = value if kind.startswith("call") else (value, "")
    call = {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": each, "type": "function", "function": {"name": "f", "arguments": "{}"}}
            for each in ids
        ],
    }
    results = [{"role": "tool", "tool_call_id": each, "content": text} for each in ids]
    words = [{"role": "user", "content": text}] if kind == "call_and_word" else []
    return {"half_call": [call, *results[1:]], "orphan": results}.get(
        kind, [call, *results, *words]
    )


def _responses(kind: str, value: Any) -> list[dict[str, Any]]:
    if kind in ("user", "assistant"):
        return [{"role": kind, "content": value}]
    if kind == "system":
        return [{"role": "developer", "content": value}]
    ids, text = value if kind.startswith("call") else (value, "")
    thinking = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}
    calls = [
        {"type": "function_call", "call_id": each, "name": "f", "arguments": "{}"} for each in ids
    ]
    results = [{"type": "function_call_output", "call_id": each, "output": text} for each in ids]
    words = [{"role": "user", "content": text}] if kind == "call_and_word" else []
    chosen = {"half_call": [thinking, *calls, *results[1:]], "orphan": results}
    return chosen.get(kind, [thinking, *calls, *results, *words])


def _anthropic(kind: str, value: Any) -> list[dict[str, Any]]:
    if kind in ("user", "assistant"):
        return [{"role": kind, "content": value or "."}]
    if kind == "system":
        return []
    ids, text = value if kind.startswith("call") else (value, "")
    uses = [{"type": "tool_use", "id": each, "name": "f", "input": {}} for each in ids]
    thinking = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    results = [{"type": "tool_result", "tool_use_id": each, "content": text} for each in ids]
    call = {"role": "assistant", "content": [thinking, *uses]}
    if kind == "call_and_word":
        return [
            call,
            {"role": "user", "content": [*results, {"type": "text", "text": text or "."}]},
        ]
    if kind == "half_call":
        return [call, *([{"role": "user", "content": results[1:]}] if results[1:] else [])]
    answer = {"role": "user", "content": results}
    return [answer] if kind == "orphan" else [call, answer]


def _gemini(kind: str, value: Any) -> list[dict[str, Any]]:
    if kind in ("user", "assistant"):
        return [{"role": "model" if kind == "assistant" else kind, "parts": [{"text": value}]}]
    if kind == "system":
        return []
    ids, text = value if kind.startswith("call") else (value, "")
    calls = [{"functionCall": {"name": each, "args": {}}} for each in ids]
    results = [{"functionResponse": {"name": each, "response": {"result": text}}} for each in ids]
    call = {"role": "model", "parts": calls}
    if kind == "call_and_word":
        return [call, {"role": "user", "parts": [*results, {"text": text}]}]
    if kind == "half_call":
        return [call, *([{"role": "user", "parts": results[1:]}] if results[1:] else [])]
    answer = {"role": "user", "parts": results}
    return [answer] if kind == "orphan" else [call, answer]


WRITERS = {
    "openai": _openai,
    "openai-responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
}


def faults(shape: str, items: Sequence[Any]) -> list[str]:
    """What a provider would refuse, told by a slow reading of its rules that shares no code."""
    said = [_reading(shape, item) for item in items]
    wrong = []
    waiting: list[str] = []
    for at, (role, calls, results, other) in enumerate(said):
        if results:
            for each in results:
                if each in waiting:
                    waiting.remove(each)
                elif not each and waiting:
                    waiting.pop(0)
                else:
                    wrong.append(f"{at}: result {each} without its call")
        elif waiting and not (shape == "openai-responses" and role == "assistant"):
            wrong.append(f"{at}: {role} speaks before {waiting} are answered")
            waiting = []
        waiting += calls
        if results and other and waiting:
            wrong.append(f"{at}: the user goes on before {waiting} are answered")
    if waiting:
        wrong.append(f"no results for {waiting}")
    if shape in ("anthropic", "gemini"):
        wrong += _wrong_openings(said)
    return wrong + _thinking_alone(items)


def _wrong_openings(said: Sequence[Reading]) -> list[str]:
    spoken = [role for role, *_ in said if role != "system"]
    wrong = [f"opens with {spoken[0]}"] if spoken and spoken[0] != "user" else []
    return wrong + (["opens with a result"] if said and said[0][2] else [])


def _thinking_alone(items: Sequence[Any]) -> list[str]:
    wrong = []
    for at, item in enumerate(items):
        if item.get("type") != "reasoning":
            continue
        following = items[at + 1] if at + 1 < len(items) else {}
        if following.get("type") != "function_call" and following.get("role") != "assistant":
            wrong.append(f"{at}: thinking without what it led to")
    return wrong


def _reading(shape: str, item: Any) -> Reading:
    """Role, calls, results, and whether anything else is said."""
    if shape == "openai":
        calls = [call["id"] for call in item.get("tool_calls") or ()]
        results = [item.get("tool_call_id") or ""] if item["role"] == "tool" else []
        return item["role"], calls, results, not results
    if shape == "openai-responses":
        kind = item.get("type")
        if kind == "function_call":
            return "assistant", [item["call_id"]], [], False
        if kind == "function_call_output":
            return "tool", [], [item["call_id"]], False
        role = item.get("role", "assistant")
        return "system" if role == "developer" else role, [], [], True
    if shape == "anthropic":
        content = item["content"]
        blocks = [{"type": "text"}] if isinstance(content, str) else content
        calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        return item["role"], calls, results, any(block["type"] == "text" for block in blocks)
    parts = item["parts"]
    calls = [part["functionCall"]["name"] for part in parts if "functionCall" in part]
    results = [part["functionResponse"]["name"] for part in parts if "functionResponse" in part]
    role = "assistant" if item["role"] == "model" else item["role"]
    return role, calls, results, any("text" in part for part in parts)
