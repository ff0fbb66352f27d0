"""The facade: sorted, complete, documented, and cheap to import."""

import subprocess
import sys

import pytest

import packhorse

HEAVY = ("click", "msgspec", "numpy", "onnxruntime", "tantivy", "tokenizers", "toktok", "yaml")


def loaded_after(code: str) -> set[str]:
    """Top-level modules that a fresh interpreter has loaded after running `code`."""
    report = "import sys; print('\\n'.join({name.partition('.')[0] for name in sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"], check=True, capture_output=True, text=True
    )
    return set(done.stdout.split())


def test_public_names_are_sorted_and_unique() -> None:
    assert list(packhorse.__all__) == sorted(set(packhorse.__all__))


@pytest.mark.parametrize("name", packhorse.__all__)
def test_every_public_name_exists_and_is_documented(name: str) -> None:
    value = getattr(packhorse, name)
    assert name == "__version__" or value.__doc__


def test_dir_lists_every_public_name() -> None:
    assert set(packhorse.__all__) <= set(dir(packhorse))


def test_importing_the_package_loads_no_heavy_library() -> None:
    loaded = loaded_after("import packhorse")
    assert "packhorse" in loaded
    assert loaded.isdisjoint(HEAVY)


@pytest.mark.parametrize("arguments", [["--help"], ["pack", "--help"], ["index", "--help"]])
def test_help_loads_no_heavy_library(arguments: list[str]) -> None:
    loaded = loaded_after(f"from packhorse.cli.app import run; run({arguments!r})")
    assert "click" in loaded
    assert loaded.isdisjoint(set(HEAVY) - {"click"})


@pytest.mark.parametrize("first", ["import packhorse.packing.small", "packhorse.fit_window"])
def test_pack_is_the_function_even_after_its_room_was_imported(first: str) -> None:
    check = f"import packhorse\n{first}\nassert callable(packhorse.pack)"
    assert "packhorse" in loaded_after(check)
