"""The ledger of a request that is rendered whole is certified by a count of our own making."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from packhorse.ledger.plan import plan_window
from packhorse.ledger.rendered import RenderedRequest
from packhorse.tokens.models.table import load_models
from packhorse.tokens.registry import counter_of
from packhorse.types.request import RequestParts

TABLE = """
models:
  own:
    {provider: mistral, window: 8192, max_output: 1024, tokenizer: mistral-v3,
     template: mistral-common, exact: true, shape: openai, framing: openai-chat,
     tools: openai-functions-7, source: own, as_of: "2026-01-15"}
"""
DAY = date(2026, 1, 15)


class Misremembering:
    """Has a wrong count in its memory for every text."""

    name, library, exact, margin = "mistral-v3", "sentencepiece", True, 0.0

    def count(self, text: str) -> int:
        return self.count_batch([text])[0]

    def count_batch(self, texts: Sequence[str]) -> list[int]:
        return [0 for _ in texts]


def test_a_certificate_rests_on_no_remembered_count(tmp_path: Path) -> None:
    table = tmp_path / "models.yaml"
    table.write_text(TABLE, encoding="utf-8")
    spec = load_models(table).spec("own")
    counter = counter_of(spec)
    parts = RequestParts(system_prompt="Be brief.", query="Why?")
    evidence = f"<evidence>\n{'The home office is deductible. ' * 20}\n</evidence>\n"
    honest, forgetful = (
        RenderedRequest(spec, each, parts, DAY) for each in (counter, Misremembering())
    )
    ledger = honest.measured(
        plan_window(parts, spec, counter, output_reservation=0, budget=None), None
    )
    # Nothing was charged for the evidence: the certificate has to find all of it.
    expected = honest.certified(ledger, evidence, 0, None)
    assert expected.message_overhead >= ledger.message_overhead + counter.count(evidence) - 2
    assert forgetful.certified(ledger, evidence, 0, None) == expected
