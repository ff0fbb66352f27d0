"""`packhorse count --messages` prints where every token of a request goes, and what is left."""

import json
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from packhorse.cli.count import count
from packhorse.errors import InputError, MissingExtraError, PackhorseError, UnknownModelError
from packhorse.tokens.models.prices import PriceList
from packhorse.tokens.models.table import model_spec
from packhorse.types.ledger import FIXED_LINES
from tests.cli.command import invoke

TERSE = [{"role": "system", "content": "You are terse."}, {"role": "user", "content": "Hi"}]


def run(*args: str, stdin: str = "") -> Result:
    return CliRunner().invoke(count, ["--offline", *args], input=stdin)


def counted(body: Any, *args: str) -> Any:
    result = run("--messages", "-", *args, "--json", stdin=json.dumps(body))
    assert not isinstance(result.exception, Exception), result.output
    return json.loads(result.stdout)


def error_of(*args: str, stdin: str = "") -> PackhorseError:
    result = run(*args, stdin=stdin)
    assert isinstance(result.exception, PackhorseError)
    assert result.stdout == ""
    return result.exception


def test_a_request_is_counted_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text(json.dumps(TERSE), encoding="utf-8")
    assert run("--messages", str(path)).stdout.splitlines() == [
        "     4  system_prompt",
        "     1  query",
        "    11  message_overhead",
        "    16  total",
        "128000  window",
        "127984  left",
    ]


def test_json_has_every_line_and_they_add_up() -> None:
    document = counted({"messages": TERSE, "max_tokens": 100})
    assert document["total_tokens"] == 16 == sum(document[line] for line in FIXED_LINES)
    assert document["exact"] is True
    assert document["messages"][0] == {"role": "system", "content": 4, "overhead": 4}
    assert (document["output_reservation"], document["reasoning"]) == (100, 0)
    assert document["left"] == document["window"] - 16 - 100
    assert (document["estimated"], document["warnings"]) == ([], [])


def test_quiet_prints_the_total_alone() -> None:
    assert run("--messages", "-", "-q", stdin=json.dumps(TERSE)).stdout == "16\n"


def test_each_message_has_a_line_on_request() -> None:
    lines = run("--messages", "-", "-v", stdin=json.dumps(TERSE)).stdout.splitlines()
    assert lines[-2:] == ["8  1 system: content 4, framing 4", "5  2 user: content 1, framing 4"]


def test_thinking_stands_inside_the_reservation() -> None:
    body = {
        "messages": TERSE,
        "max_tokens": 3_000,
        "thinking": {"type": "enabled", "budget_tokens": 2_000},
    }
    document = counted(body, "--model", "claude-sonnet-4-5")
    assert (document["output_reservation"], document["reasoning"]) == (3_000, 2_000)
    assert document["left"] == 200_000 - document["total_tokens"] - 3_000
    shown = run("--messages", "-", "--model", "claude-sonnet-4-5", stdin=json.dumps(body)).stdout
    assert "  3000  output_reservation (up to 2000 of it thinking)" in shown.splitlines()


def test_the_model_of_the_request_is_counted_for_unless_another_is_named() -> None:
    body = {"model": "gpt-4", "messages": TERSE}
    assert counted(body)["model"] == "gpt-4"
    assert counted(body, "--model", "gpt-4o")["model"] == "gpt-4o"
    assert counted(TERSE)["model"] == "gpt-4o"
    gemini = {"model": "models/gemini-2.5-pro", "contents": "Hi"}
    assert counted(gemini)["model"] == "gemini-2.5-pro"


def test_a_request_for_an_unknown_model_is_refused() -> None:
    body = json.dumps({"model": "acme-local-7b", "messages": TERSE})
    assert isinstance(error_of("--messages", "-", stdin=body), UnknownModelError)


def test_estimates_are_named() -> None:
    body = {"messages": TERSE, "tools": [{"name": "f", "parameters": {"$ref": "x"}}]}
    result = run("--messages", "-", stdin=json.dumps(body))
    assert "[INFO] Upper estimates: tool definitions" in result.stderr
    claude = counted(TERSE, "--model", "claude-opus-4-1")
    assert claude["estimated"] == ["tokenizer", "message framing"]
    assert claude["exact"] is False


def test_a_request_over_the_window_is_counted_and_warned_about(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "big.json"
    body = {"messages": [*TERSE, {"role": "user", "content": "word " * 9_000}], "max_tokens": 500}
    path.write_text(json.dumps({"model": "gpt-4", **body}), encoding="utf-8")
    outcome = invoke(capsys, "count", "--offline", "--messages", path)
    assert outcome.code == 1
    total = 9_000 + 16 + 4 + 1
    assert outcome.out.splitlines()[-1].split() == [str(8192 - total - 500), "left"]
    assert (
        f"[WARN] The request does not fit gpt-4: {total} tokens of input + 500 reserved for the"
        f" answer are {total + 500 - 8192} over the window of 8192; the largest part is query"
        " (9001)" in outcome.err
    )


def test_a_request_that_fits_is_no_warning(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "m.json"
    path.write_text(json.dumps(TERSE), encoding="utf-8")
    assert invoke(capsys, "count", "--offline", "--messages", path).code == 0


def test_a_log_gives_one_total_a_request(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    bodies = [TERSE, {"messages": TERSE, "color": 3}]
    path.write_text("\n\n".join(map(json.dumps, bodies)) + "\n", encoding="utf-8")
    result = run("--messages", str(path))
    assert result.stdout.splitlines() == [
        "16  request 1 (gpt-4o)",
        "16  request 2 (gpt-4o)",
        "32  total",
    ]
    assert "[WARN] Request 2: The unknown field color was taken to cost nothing" in result.stderr
    document = json.loads(run("--messages", str(path), "--json").stdout)
    assert document["total_tokens"] == 32
    assert [each["total_tokens"] for each in document["requests"]] == [16, 16]


def test_a_bad_line_of_a_log_is_named(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(f"{json.dumps(TERSE)}\n{{\n", encoding="utf-8")
    assert "log.jsonl, line 2, is not JSON" in error_of("--messages", str(path)).message
    path.write_text(f"{json.dumps(TERSE)}\n{{}}\n", encoding="utf-8")
    assert (
        "log.jsonl, request 2: This is not a chat request"
        in error_of("--messages", str(path)).message
    )


def write_log(folder: Path, *bodies: Any) -> str:
    path = folder / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, bodies)), encoding="utf-8")
    return str(path)


def test_each_request_of_a_log_is_counted_for_the_model_that_it_names(tmp_path: Path) -> None:
    models = ("gpt-4", "claude-opus-4-1", "models/gemini-2.5-pro")
    bodies = [{"model": name, "messages": TERSE} for name in models]
    alone = [counted(body) for body in bodies]
    log = write_log(tmp_path, *bodies, TERSE)
    result = run("--messages", log)
    assert [line.split(maxsplit=1)[1] for line in result.stdout.splitlines()] == [
        "request 1 (gpt-4)",
        "request 2 (claude-opus-4-1)",
        "request 3 (gemini-2.5-pro)",
        "request 4 (gpt-4o)",
        "total",
    ]
    assert "(cl100k_base) for gpt-4, exact" in result.stderr
    assert "for claude-opus-4-1, estimate, margin 35% included" in result.stderr
    assert "[INFO] No model is named in 1 of 4 requests: counted for gpt-4o" in result.stderr
    document = json.loads(run("--messages", log, "--json").stdout)
    same = [
        {key: value for key, value in each.items() if key != "schema_version"} for each in alone
    ]
    assert document["requests"][:3] == same
    assert [each["model"] for each in document["requests"]] == [
        "gpt-4", "claude-opus-4-1", "gemini-2.5-pro", "gpt-4o",
    ]  # fmt: skip
    assert [each["exact"] for each in document["requests"]] == [True, False, False, True]
    assert document["exact"] is False
    assert document["total_tokens"] == sum(each["total_tokens"] for each in document["requests"])


def test_a_named_model_overrides_those_of_a_log(tmp_path: Path) -> None:
    bodies = [{"model": name, "messages": TERSE} for name in ("gpt-4", "acme-local-7b")]
    log = write_log(tmp_path, *bodies)
    assert isinstance(error_of("--messages", log), UnknownModelError)
    assert run("--messages", log, "--model", "gpt-4", "-q").stdout == "32\n"


def test_a_log_costs_what_its_requests_cost(tmp_path: Path) -> None:
    bodies = [{"model": name, "messages": TERSE} for name in ("gpt-4", "gpt-4o")]
    prices = [counted(body, "--prices")["price"] for body in bodies]
    log = write_log(tmp_path, *bodies)
    price = json.loads(run("--messages", log, "--prices", "--json").stdout)["price"]
    for side in ("input_usd", "output_usd_at_most"):
        assert price[side] == pytest.approx(sum(each[side] for each in prices))
    dear = {"model": "gemini-2.5-pro", "messages": [{"role": "user", "content": "a " * 200_001}]}
    log = write_log(tmp_path, *bodies, dear)
    price = json.loads(run("--messages", log, "--prices", "--json").stdout)["price"]
    assert price["input_usd"] is None


def test_messages_are_listed_for_one_request_alone(tmp_path: Path) -> None:
    for args in (("-v",), ("--messages", write_log(tmp_path, TERSE), "-v")):
        assert "-v shows the messages of one request" in error_of(*args).message


def test_advice_is_given_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    models = ("claude-opus-4-1", "claude-sonnet-4-5")
    log = write_log(tmp_path, *({"model": name, "messages": TERSE} for name in models))
    shown = CliRunner().invoke(count, ["--messages", log]).stderr
    assert shown.count("ANTHROPIC_API_KEY") == 1


def test_another_vocabulary_is_not_exact_and_no_upper_estimate() -> None:
    args = ("--model", "claude-opus-4-1", "--tokenizer", "o200k_base")
    shown = run("--messages", "-", *args, stdin=json.dumps(TERSE)).stderr
    assert "[INFO] Not exact: tokenizer\n" in shown
    assert "[INFO] Upper estimates: message framing\n" in shown
    document = counted(TERSE, *args)
    assert (document["exact"], document["estimated"]) == (False, ["message framing"])
    assert (document["tokenizer"]["exact"], document["tokenizer"]["margin"]) == (False, 0.0)
    own = run("--messages", "-", "--tokenizer", "o200k_base", stdin=json.dumps(TERSE)).stderr
    assert "Not exact" not in own


def test_a_request_without_messages_is_counted_and_warned_about(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "m.json"
    path.write_text('{"messages": []}', encoding="utf-8")
    outcome = invoke(capsys, "count", "--offline", "--messages", path)
    assert outcome.code == 1
    assert "[WARN] The request has no messages" in outcome.err


def test_prices_are_shown_on_request() -> None:
    body = {"messages": TERSE, "max_tokens": 1_000}
    price = counted(body, "--prices")["price"]
    rates = PriceList().price(model_spec("gpt-4o"), date.fromisoformat(price["day"]))
    assert rates is not None
    assert rates.input is not None
    assert rates.output is not None
    assert price["input_usd"] == pytest.approx(16 * rates.input / 1e6)
    assert price["output_usd_at_most"] == pytest.approx(1_000 * rates.output / 1e6)
    shown = run("--messages", "-", "--prices", stdin=json.dumps(body)).stderr
    assert f"[INFO] Price: input ${price['input_usd']:.6f}, output at most $" in shown
    assert price["source"] in shown


def test_a_price_that_nobody_knows_is_said_to_be_unknown() -> None:
    body = {"messages": [{"role": "user", "content": "word " * 200_001}]}
    price = counted(body, "--model", "gemini-2.5-pro", "--prices")["price"]
    assert price["input_usd"] is None
    stdin = json.dumps(body)
    result = run("--messages", "-", "--model", "gemini-2.5-pro", "--prices", stdin=stdin)
    assert "input not known" in result.stderr


def test_prices_need_their_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    error = error_of("--messages", "-", "--prices", stdin=json.dumps(TERSE))
    assert isinstance(error, MissingExtraError)


@pytest.mark.parametrize("text", ["[1", "", "[" * 100_000, "\ufffd"])
def test_messages_that_are_no_json_are_refused(text: str) -> None:
    assert "is not JSON" in error_of("--messages", "-", stdin=text).message


def test_json_that_is_no_request_is_refused() -> None:
    assert isinstance(error_of("--messages", "-", stdin="3"), InputError)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"messages": [], "messages": []}', "the key 'messages' comes twice"),
        ('{"messages": [], "temperature": NaN}', "NaN is no JSON number"),
        ('{"messages": [], "seed": %s}' % ("1" * 5000), "a number has too many digits"),
        (" \n", "it is empty"),
        ('{"model": 7, "messages": []}', "`model` is a number, which is no name"),
        ('{"model": "", "messages": []}', "`model` is empty, which is no name"),
    ],
)
def test_a_request_that_can_be_read_in_two_ways_is_refused(text: str, said: str) -> None:
    error = error_of("--messages", "-", stdin=text)
    assert isinstance(error, InputError)
    assert said in error.message
    assert "int_max_str" not in error.message


def test_a_log_without_a_request_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text("\n", encoding="utf-8")
    assert "holds no request" in error_of("--messages", str(path)).message


def test_a_request_without_a_model_says_what_it_is_counted_for() -> None:
    body = {"contents": [{"role": "user", "parts": [{"text": "Hello"}]}]}
    shown = run("--messages", "-", stdin=json.dumps(body))
    assert "[INFO] No model is named: counted for gpt-4o" in shown.stderr
    assert "[WARN] The request has Gemini's shape" in shown.stderr
    named = run("--messages", "-", "--model", "gemini-2.5-pro", stdin=json.dumps(body))
    assert "No model is named" not in named.stderr
    assert "shape" not in named.stderr


def test_text_and_json_agree_on_what_is_exact() -> None:
    body = {"messages": TERSE, "response_format": {"type": "json_object"}}
    image = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    estimated = {"messages": [{"role": "user", "content": [image]}]}
    for request in (body, estimated):
        exact = counted(request)["exact"]
        shown = run("--messages", "-", stdin=json.dumps(request)).stderr
        assert ("the whole request is an upper estimate" in shown) is not exact


@pytest.mark.parametrize(
    ("extra", "output"), [({}, 16384), ({"max_tokens": 1000, "n": 5}, 5000), ({"n": 2}, 32768)]
)
def test_the_price_of_the_answer_is_an_upper_bound(extra: dict[str, int], output: int) -> None:
    priced = counted({"model": "gpt-4o", "messages": TERSE, **extra}, "--prices")["price"]
    one = counted({"model": "gpt-4o", "messages": TERSE, "max_tokens": 1}, "--prices")["price"]
    assert priced["output_usd_at_most"] == pytest.approx(output * one["output_usd_at_most"])
