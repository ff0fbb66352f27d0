"""Counting of request bodies, for tests of their shapes, and one full body of each shape."""

from typing import Any

from packhorse.tokens.models.table import model_spec
from packhorse.tokens.registry import counter_for
from packhorse.tokens.requests.count import count_request
from packhorse.tokens.requests.request import RequestCount
from tests.tokens.pictures import encoded, png

__all__ = ["FULL", "IMAGE", "SCHEMA", "count", "tokens"]

IMAGE = encoded(png(512, 512))
SCHEMA = {"type": "object", "properties": {"city": {"type": "string", "description": "A city"}}}
TOOL = {"name": "look", "description": "Looks.", "parameters": SCHEMA}
CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at":"sky"}'}}


def count(body: Any, model: str = "gpt-4o") -> RequestCount:
    """The body counted for a model."""
    return count_request(body, model_spec(model), counter_for(model))


def tokens(*texts: str, model: str = "gpt-4o") -> int:
    """Tokens of texts, each counted alone."""
    return sum(counter_for(model).count_batch(list(texts)))


FULL: dict[str, tuple[str, dict[str, Any]]] = {
    "chat": (
        "gpt-4o",
        {
            "model": "gpt-4o",
            "messages": [
                {"role": "developer", "content": "Be brief."},
                {
                    "role": "user",
                    "name": "al",
                    "content": [
                        {"type": "text", "text": "What is this?"},
                        {
                            "type": "image_url",
                            "image_url": {"url": f"data:image/png;base64,{IMAGE}"},
                        },
                    ],
                },
                {"role": "assistant", "content": None, "tool_calls": [CALL, {**CALL, "id": "c2"}]},
                {"role": "tool", "tool_call_id": "c1", "content": "stars"},
                {
                    "role": "tool",
                    "tool_call_id": "c2",
                    "content": [{"type": "text", "text": "moon"}],
                },
                {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
                {"role": "user", "content": "Go on."},
            ],
            "tools": [{"type": "function", "function": {**TOOL, "strict": True}}],
            "tool_choice": "required",
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": SCHEMA},
            },
            "max_completion_tokens": 500,
            "temperature": 0.2,
            "stop": ["END"],
            "user": "someone",
            "metadata": {"a": "b"},
        },
    ),
    "responses": (
        "gpt-4o",
        {
            "model": "gpt-4o",
            "instructions": "Be brief.",
            "input": [
                {
                    "role": "user",
                    "content": [
                        {"type": "input_text", "text": "What is this?"},
                        {
                            "type": "input_image",
                            "detail": "auto",
                            "image_url": f"data:image/png;base64,{IMAGE}",
                        },
                    ],
                },
                {
                    "type": "reasoning",
                    "id": "r1",
                    "summary": [{"type": "summary_text", "text": "Look up"}],
                    "encrypted_content": "QUJDRA==",
                },
                {
                    "type": "function_call",
                    "id": "f1",
                    "call_id": "c1",
                    "name": "look",
                    "arguments": '{"at":"sky"}',
                    "status": "completed",
                },
                {"type": "function_call_output", "call_id": "c1", "output": "stars"},
                {
                    "type": "message",
                    "id": "m1",
                    "role": "assistant",
                    "status": "completed",
                    "content": [{"type": "output_text", "text": "Stars.", "annotations": []}],
                },
                {"role": "user", "content": "Go on."},
            ],
            "tools": [{"type": "function", "strict": True, **TOOL}],
            "text": {"format": {"type": "json_schema", "name": "answer", "schema": SCHEMA}},
            "max_output_tokens": 500,
            "reasoning": {"effort": "low"},
            "store": False,
        },
    ),
    "anthropic": (
        "claude-sonnet-4-5",
        {
            "model": "claude-sonnet-4-5",
            "system": [
                {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}
            ],
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": "What is this?"},
                        {
                            "type": "image",
                            "source": {"type": "base64", "media_type": "image/png", "data": IMAGE},
                        },
                        {
                            "type": "document",
                            "title": "Notes",
                            "source": {"type": "text", "media_type": "text/plain", "data": "Sky."},
                        },
                        {
                            "type": "search_result",
                            "source": "https://example.com",
                            "title": "Stars",
                            "content": [{"type": "text", "text": "Far away."}],
                        },
                    ],
                },
                {
                    "role": "assistant",
                    "content": [
                        {"type": "thinking", "thinking": "Look up", "signature": "s"},
                        {"type": "redacted_thinking", "data": "QUJDRA=="},
                        {"type": "tool_use", "id": "c1", "name": "look", "input": {"at": "sky"}},
                        {"type": "tool_use", "id": "c2", "name": "look", "input": {}},
                    ],
                },
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": "c1", "content": "stars"},
                        {
                            "type": "tool_result",
                            "tool_use_id": "c2",
                            "is_error": True,
                            "content": [
                                {
                                    "type": "image",
                                    "source": {"type": "base64", "data": IMAGE},
                                }
                            ],
                        },
                    ],
                },
            ],
            "tools": [{"name": "look", "description": "Looks.", "input_schema": SCHEMA}],
            "tool_choice": {"type": "any"},
            "max_tokens": 3_000,
            "thinking": {"type": "enabled", "budget_tokens": 1_024},
            "stop_sequences": ["END"],
        },
    ),
    "gemini": (
        "gemini-2.5-pro",
        {
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "contents": [
                {
                    "role": "user",
                    "parts": [
                        {"text": "What is this?"},
                        {"inlineData": {"mimeType": "image/png", "data": IMAGE}},
                    ],
                },
                {
                    "role": "model",
                    "parts": [
                        {"text": "Look up", "thought": True},
                        {
                            "functionCall": {"id": "c1", "name": "look", "args": {"at": "sky"}},
                            "thoughtSignature": "QUJDRA==",
                        },
                    ],
                },
                {
                    "role": "user",
                    "parts": [{"functionResponse": {"name": "look", "response": {"r": "stars"}}}],
                },
            ],
            "tools": [{"functionDeclarations": [TOOL]}],
            "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
            "generationConfig": {
                "maxOutputTokens": 2_000,
                "responseMimeType": "application/json",
                "responseSchema": SCHEMA,
                "thinkingConfig": {"thinkingBudget": 1_024},
            },
        },
    ),
    "ollama": (
        "gpt-4o",
        {
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "What is this?", "images": [IMAGE]},
                {
                    "role": "assistant",
                    "content": "",
                    "thinking": "Look up",
                    "tool_calls": [{"function": {"name": "look", "arguments": {"at": "sky"}}}],
                },
                {"role": "tool", "tool_name": "look", "content": "stars"},
                {"role": "user", "content": "Go on."},
            ],
            "tools": [{"type": "function", "function": TOOL}],
            "options": {"num_predict": 500, "temperature": 0.1},
            "format": "json",
            "keep_alive": "5m",
            "stream": False,
        },
    ),
}
"""Shape -> a model that takes it, and a body with everything in it that has a rule."""
