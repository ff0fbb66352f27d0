"""A recount of the whole request equals the lines of its ledger."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from packhorse.ledger.certify import certify_request
from packhorse.ledger.plan import plan_window
from packhorse.tokens.models.table import model_spec
from packhorse.tokens.registry import counter_for
from packhorse.types.request import RequestParts
from tests.ledger.test_plan import SHOWN_MODELS, request_parts
from tests.promises import promised
from tests.strategies import raw_texts


@promised
@given(parts=request_parts(), bodies=st.lists(raw_texts(4), max_size=4))
def test_the_whole_request_recounted_equals_its_lines(
    parts: RequestParts, bodies: list[str]
) -> None:
    evidence = "".join(f"<evidence>\n{body}\n</evidence>\n" for body in bodies)
    finished = replace(parts, evidence=evidence)
    for model in SHOWN_MODELS:
        spec, counter = model_spec(model), counter_for(model)
        ledger = plan_window(
            parts, spec, counter, output_reservation=0, budget=None, tools_tokens=11
        )
        packed = replace(ledger, packed_evidence=counter.count(evidence))
        certificate = certify_request(finished, packed, counter, spec)
        assert certificate.difference == 0, model
        assert certificate.holds, model
        assert certificate.total == packed.fixed + packed.packed_evidence, model


def test_a_ledger_that_is_too_low_is_found() -> None:
    spec, counter = model_spec("gpt-4o"), counter_for("gpt-4o")
    parts = RequestParts(query="why?", evidence="<evidence>\nbecause\n</evidence>\n")
    ledger = plan_window(parts, spec, counter, output_reservation=0, budget=None)
    certificate = certify_request(parts, ledger, counter, spec)
    assert certificate.difference == counter.count(parts.evidence)
    assert not certificate.holds
