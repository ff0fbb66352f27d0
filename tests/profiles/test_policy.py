"""kb.yaml is read as strictly as a profile."""

from pathlib import Path

import pytest

from packhorse.config import KnowledgeBasePolicy
from packhorse.errors import ConfigError, UnknownKeyError
from packhorse.profiles.policy import load_policy


def load(tmp_path: Path, text: str) -> KnowledgeBasePolicy:
    path = tmp_path / "kb.yaml"
    path.write_text(text, encoding="utf-8")
    return load_policy(path, "folder_name")


def test_an_empty_policy_has_the_folder_name(tmp_path: Path) -> None:
    assert load(tmp_path, "") == KnowledgeBasePolicy(name="folder_name")


def test_everything_is_read(tmp_path: Path) -> None:
    policy = load(
        tmp_path,
        """
name: tax_kb
mandatory: [disclaimer, disclaimer, terms]
blocked_sources: [forum]
trust: {irs_*: 1, docs.example.com: 0.9, 1040: 0.5}
min_trust: 0.2
max_age_days: 400
default_profile: profiles/tax.yaml
""",
    )
    assert policy.name == "tax_kb"
    assert policy.mandatory == ("disclaimer", "terms")
    assert policy.blocked_sources == ("forum",)
    assert dict(policy.trust) == {"1040": 0.5, "docs.example.com": 0.9, "irs_*": 1.0}
    assert policy.min_trust == 0.2
    assert policy.max_age_days == 400.0
    assert policy.default_profile == str(tmp_path / "profiles" / "tax.yaml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mandatory: disclaimer", "mandatory is 'disclaimer'"),
        ("trust: {a: 2}", "trust.a is 2"),
        ("trust: {a: high}", "trust.a is 'high'"),
        ("trust: [a]", "trust is ['a']"),
        ("min_trust: yes", "min_trust is True"),
        ("max_age_days: -1", "max_age_days is -1"),
        ("name: ''", "name is ''"),
    ],
)
def test_a_wrong_value_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, text)
    assert message in caught.value.message
    assert caught.value.message.endswith("kb.yaml line 1")
    assert " takes " in caught.value.hint


def test_unknown_keys_are_all_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownKeyError) as caught:
        load(tmp_path, "mandatry: [a]\nmmr_lambda: 1\n")
    assert caught.value.keys == ("mandatry", "mmr_lambda")
    assert "did you mean mandatory?" in caught.value.hint
    assert "mmr_lambda: it belongs in a profile" in caught.value.hint
