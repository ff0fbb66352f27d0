"""Cases from practice: settings files and trust."""

from pathlib import Path

import pytest

from packhorse.errors import ConfigError, UnknownKeyError
from packhorse.profiles.overrides import explain_settings
from packhorse.profiles.profile import load_profile, load_profile_with_sources
from packhorse.profiles.trust import trust_for


def test_case_46_unknown_keys_are_refused_with_path_and_nearest_name(tmp_path: Path) -> None:
    path = tmp_path / "profile.yaml"
    path.write_text(
        "budget: 2000\nmmr_lamda: 0.3\npinnd: [rules]\npacking: {budget: 9999}\n", encoding="utf-8"
    )
    with pytest.raises(UnknownKeyError) as caught:
        load_profile(path)
    error = caught.value
    assert error.keys == ("budget", "mmr_lamda", "packing.budget", "pinnd")
    for line, key in enumerate(("budget", "mmr_lamda", "pinnd", "packing.budget"), start=1):
        assert f"{key} ({path} line {line})" in error.message
    assert "mmr_lamda: did you mean mmr_lambda?" in error.hint
    assert "pinnd: did you mean pinned? If so, it is no part of a profile; pass --pin" in error.hint
    assert "packing.budget: it is no part of a profile; pass --budget" in error.hint
    assert "\n" not in error.message + error.hint


def test_case_46_a_key_on_the_wrong_level_is_sent_to_the_right_one(tmp_path: Path) -> None:
    path = tmp_path / "profile.yaml"
    path.write_text("packing: {mmr_lambda: 0.3}\n", encoding="utf-8")
    with pytest.raises(UnknownKeyError) as caught:
        load_profile(path)
    assert caught.value.hint == "packing.mmr_lambda: mmr_lambda sits at the top level"


def test_case_46_effective_values_say_where_they_come_from(tmp_path: Path) -> None:
    path = tmp_path / "profile.yaml"
    path.write_text("mmr_lambda: 0.3\n", encoding="utf-8")
    loaded = load_profile_with_sources(path)
    lines = {line.key: line for line in explain_settings(loaded.profile, loaded.sources)}
    assert (lines["mmr_lambda"].value, lines["mmr_lambda"].source) == (0.3, f"{path} line 1")
    assert (lines["candidates"].value, lines["candidates"].source) == (100, "default")


def test_case_37_trust_is_matched_whole_or_by_host() -> None:
    trust = {"docs.example.com": 0.9, "internal": 0.8}
    assert trust_for("docs.example.com", trust) == 0.9
    assert trust_for("docs.example.com/guide", trust) == 0.9
    for source in ("docs.example.com.evil.test", "notdocs.example.com", "internal-forum"):
        assert trust_for(source, trust) is None


def test_case_34_a_byte_order_mark_in_yaml_is_not_text_and_utf_16_is_refused(
    tmp_path: Path,
) -> None:
    path = tmp_path / "profile.yaml"
    path.write_bytes("\ufeffname: one\ufefftwo\n".encode())
    assert load_profile(path).name == "one\ufefftwo"
    path.write_bytes("name: x\n".encode("utf-16"))
    with pytest.raises(ConfigError, match="UTF-16") as caught:
        load_profile(path)
    assert caught.value.hint == "Save the file as UTF-8 and try again"
