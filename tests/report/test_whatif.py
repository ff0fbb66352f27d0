"""Selection in the page against selection in Python, over packets drawn at random."""

from __future__ import annotations

import random
from itertools import islice
from typing import Any

import numpy as np
import pytest

from packhorse.errors import BudgetError
from packhorse.explain.selection import Selection
from packhorse.pipeline import merged_ranks
from packhorse.report.whatif import what_if
from tests.explain.random_packs import ALL_STRATEGIES, random_packets
from tests.report.engine_in_node import change_of, select_in_node

N_PACKETS = 120
N_SETTINGS = 5


def random_setting(chance: random.Random, data: dict[str, Any]) -> dict[str, Any]:
    """As somebody who pulls at everything, now and then to its end."""
    names = ("relevance", "trust", "freshness", "coverage")
    weights = {
        name: chance.choice((0.0, 1.0, round(chance.random(), 2), round(chance.random(), 6)))
        for name in names
    }
    if not any(weights.values()):
        weights["relevance"] = 0.01
    weights["deduplication"] = -chance.choice((0.0, 1.0, round(chance.random(), 2)))
    return {
        "budget": chance.choice((data["budget"], chance.randint(0, 2 * data["budget"]))),
        "lambda": chance.choice((0.0, 1.0, data["lambda"], round(chance.random(), 2))),
        "weights": chance.choice((weights, data["weights"])),
    }


def expected(selection: Selection, setting: dict[str, Any]) -> dict[str, Any] | None:
    """What Python selects with a setting; None where required chunks do not fit."""
    change = change_of(setting)
    own = selection.recorded
    ranking = selection.ranking(change)
    try:
        packing = selection.packing(change, ranking=ranking)
    except BudgetError:
        return None
    ids = [entry["chunk_id"] for entry in own.entries]
    merged = merged_ranks(ranking)
    return {
        "rows": [ids[row] for row in selection.reading_order(change)],
        "rank": {ids[row]: place for place, row in enumerate(merged, start=1)},
        "score": {ids[row]: float(np.rint(ranking.signals.score[row] * 1e6)) for row in merged},
        "out": {ids[row]: why for row, why in packing.excluded.items()},
        "tokens": packing.used_tokens,
        "value": packing.quality.value,
    }


def test_the_page_selects_what_python_selects() -> None:
    chance = random.Random(11)  # noqa: S311 - drawn the same way each time, and no secret
    cases, selections, n_refused = [], [], 0
    for _, _, packet in islice(random_packets(7, strategies=ALL_STRATEGIES), N_PACKETS):
        data = what_if(packet.document)
        if data["unavailable"]:
            assert "integer solver" in data["unavailable"]
            n_refused += 1
            continue
        settings = [random_setting(chance, data) for _ in range(N_SETTINGS)]
        cases.append((data, settings))
        selections.append(Selection(packet.document))
    assert n_refused < N_PACKETS / 3
    n_chosen = 0
    answers = select_in_node(cases)
    for (data, settings), selection, found in zip(cases, selections, answers, strict=True):
        for setting, answer in zip(settings, found, strict=True):
            wanted = expected(selection, setting)
            if wanted is None or setting["budget"] == 0:
                assert "tooSmall" in answer or setting["budget"] == 0
                continue
            where = (data["strategy"], setting)
            for name in ("rows", "rank", "score"):
                assert answer[name] == wanted[name], (where, name)
            assert answer["tokens"] == wanted["tokens"] + data["budget"] - data["room"]
            assert answer["value"] == pytest.approx(wanted["value"], abs=2e-6), where
            for chunk_id, why in answer["out"].items():
                assert why["code"] == wanted["out"][chunk_id].code, (where, chunk_id)
            n_chosen += 1
    assert n_chosen > 300
