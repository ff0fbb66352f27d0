"""Unknown keys are named all at once, each with its place and what was meant."""

import pytest

from packhorse.errors import UnknownKeyError
from packhorse.profiles.keys import check_keys, nearest

KNOWN = {
    "mmr_lambda": None,
    "top_k": None,
    "weights": {"trust": None},
    "types": {"*": {"words": None}},
}


def refusal(data: dict[str, object]) -> UnknownKeyError:
    with pytest.raises(UnknownKeyError) as caught:
        check_keys(
            data,
            KNOWN,
            what="profile",
            where=lambda key: f"at {key}",
            elsewhere={"budget": "pass --budget"},
        )
    return caught.value


def test_known_keys_pass() -> None:
    data = {"top_k": 1, "weights": {"trust": 1}, "types": {"any": {"words": []}}}
    check_keys(data, KNOWN, what="profile", where=str, elsewhere={})


def test_all_unknown_keys_are_named_with_path_and_place() -> None:
    error = refusal({"zzz": 1, "mmr_lamda": 1, "packing": {"top_k": 1, "deep": {"er": 2}}})
    assert error.keys == ("mmr_lamda", "packing.deep.er", "packing.top_k", "zzz")
    assert error.message.startswith("Unknown keys in the profile: mmr_lamda (at mmr_lamda), ")
    assert "mmr_lamda: did you mean mmr_lambda?" in error.hint
    assert "packing.top_k: top_k sits at the top level" in error.hint
    assert "zzz: known keys are mmr_lambda, top_k, types, weights" in error.hint


def test_levels_below_know_their_own_names() -> None:
    error = refusal({"weights": {"trst": 1}, "types": {"any": {"word": 1}}})
    assert error.keys == ("types.any.word", "weights.trst")
    assert error.hint == ("types.any.word: did you mean words?; weights.trst: did you mean trust?")


def test_a_misplaced_typo_is_told_its_level() -> None:
    assert "did you mean top_k? It sits at the top level" in refusal({"packing": {"topk": 1}}).hint


def test_what_is_said_elsewhere_is_pointed_to() -> None:
    error = refusal({"budget": 1, "budgets": 2})
    assert error.hint == "budget: pass --budget; budgets: did you mean budget? If so, pass --budget"


def test_one_unknown_key_is_singular_and_an_empty_mapping_is_named() -> None:
    assert refusal({"packing": {}}).message == "Unknown key in the profile: packing (at packing)"


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Top-K", "top_k"), ("topk", "top_k"), ("quite different", None), ("", None)],
)
def test_nearest_ignores_case_and_dashes(name: str, expected: str | None) -> None:
    assert nearest(name, ["mmr_lambda", "top_k"]) == expected
