"""`packhorse route` in this process."""

import json
import sys
from pathlib import Path

import pytest

from tests.cli.command import invoke

LIST = """\
models:
  - {name: gpt-4o, tier: strong, price: {input: 2.5, output: 10}}
  - {name: gpt-4o-mini, tier: basic, price: {input: 0.15, output: 0.6}}
  - {name: gpt-4, tier: strong, price: {input: 30, output: 60}}
"""
HARD = "Who is older, the director of Jaws or the director of Alien?"
GOLDEN = """\
Complexity 1.00, complex; tier needed: strong
  +3.37  goes over a relation: 'of ... of', 'director of'
  +1.73  offers a choice: 'or'
  +1.69  compares: 'older'
  +1.45  names a role: 'director'
  +1.41  sets things off: ','
  +1.09  names more than one thing: 'Alien'
  +1.02  links things: 'of'

MODEL        TIER     WINDOW  INPUT  OUTPUT      PRICE
gpt-4o       strong  128,000  7,022   2,000  $0.037555  cheapest that fits
gpt-4o-mini  basic   128,000  7,022   2,000  $0.002253  tier basic < needed strong
gpt-4        strong    8,192  7,022   2,000  $0.330660  window 8,192 < 9,022

[ROUTE] gpt-4o: 7,022 in (7,000 of it evidence) x $2.5 + 2,000 out x $10 a million = $0.037555; \
9,022 of 128,000 tokens of the window
[INFO] Prices of 2026-01-15: your list
"""


@pytest.fixture
def models(tmp_path: Path) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(LIST, encoding="utf-8")
    return path


def asked(models: Path, *more: object) -> tuple[object, ...]:
    return ("route", "--models", models, "--as-of", "2026-01-15", *more)


def test_the_sums_of_every_model_are_shown_and_why_it_is_not_the_choice(
    models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = invoke(capsys, *asked(models, "--query", HARD, "--evidence-tokens", 7000))
    assert (outcome.code, outcome.out, outcome.err) == (0, GOLDEN, "")


def test_without_prices_the_lowest_tier_that_fits_is_chosen_with_a_warning(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    outcome = invoke(capsys, "route", "--query", "who wrote hamlet", "--as-of", "2026-06-01")
    assert outcome.code == 0
    assert "lowest tier that fits" in outcome.out
    assert "[ROUTE] gpt-5.4-nano: " in outcome.out
    assert "price not known" in outcome.out
    assert "Prices of" not in outcome.out
    assert outcome.err.startswith("[WARN] No price is known, so this is the lowest tier that fits")


def test_quiet_prints_the_name_alone(models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = invoke(capsys, *asked(models, "--query", "who wrote hamlet", "-q"))
    assert (outcome.code, outcome.out) == (0, "gpt-4o-mini\n")


def test_json_holds_the_choice_the_others_and_the_reasons(
    models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = json.loads(invoke(capsys, *asked(models, "--query", HARD, "--json")).out)
    assert (told["schema_version"], told["model"], told["day"]) == ("1", "gpt-4o", "2026-01-15")
    assert told["chosen"]["input_tokens"] == 22
    assert told["complexity"]["level"] == "complex"
    assert [other["model"] for other in told["others"]] == ["gpt-4", "gpt-4o-mini"]
    assert [miss["code"] for miss in told["others"][1]["misses"]] == ["tier"]


def test_messages_and_models_of_the_users_own_are_counted(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    talk = tmp_path / "talk.json"
    talk.write_text(json.dumps([{"role": "user", "content": "Hi"}]), encoding="utf-8")
    table = tmp_path / "table.yaml"
    table.write_text("models:\n  gpt-4o-mini: {window: 600, max_output: 550}\n", encoding="utf-8")
    more = ("--messages", talk, "--models-file", table, "--json", "--query", "who wrote hamlet")
    fits = json.loads(invoke(capsys, *asked(models, *more)).out)
    assert (fits["chosen"]["input_tokens"], fits["chosen"]["window"]) == (16, 600)
    grown = json.loads(invoke(capsys, *asked(models, *more, "--evidence-tokens", 100)).out)
    assert grown["model"] == "gpt-4o"
    assert grown["others"][-1]["why_not"] == ["window 600 < 616"]


def test_where_no_model_fits_two_lines_say_what_would_help(
    models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = invoke(capsys, *asked(models, "--query", HARD, "--evidence-tokens", 126_000))
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == (
        f"[ERROR] No model of {models} fits; the nearest is gpt-4o: window 128,000 < 128,022\n"
        "[HINT] Take away 22 tokens of input or of the answer\n"
    )


def test_a_question_is_needed(models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(capsys, *asked(models)).code == 2
