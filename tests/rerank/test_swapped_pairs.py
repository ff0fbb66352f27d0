"""No side of a public pair of passages that contradict each other is taken for a copy."""

import json
import os
from pathlib import Path

import pytest

from packhorse.rerank.duplicates import duplicates


def test_no_passage_with_a_swapped_answer_is_a_duplicate_of_the_other() -> None:
    data = os.environ.get("PACKHORSE_EVAL_DATA")
    if not data:
        pytest.skip("PACKHORSE_EVAL_DATA names no folder of evaluation sets")
    lines = (Path(data) / "ramdocs" / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    pairs = [pair for pair in map(json.loads, lines) if pair["kind"] == "passage_swapped"]
    assert len(pairs) > 100
    for pair in pairs:
        one, other = pair["a"]["text"], pair["b"]["text"]
        assert duplicates([one, other], 0.55) == {}, pair["id"]
        assert duplicates([other, one], 0.55) == {}, pair["id"]
