"""A settings file says one thing, plainly, or it is refused with the place."""

from pathlib import Path

import pytest

from packhorse.errors import ConfigError
from packhorse.profiles.yaml_file import MAX_BYTES, read_text_file, read_yaml


def write(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "settings.yaml"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refusal(tmp_path: Path, content: str | bytes) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        read_yaml(write(tmp_path, content), "profile")
    assert caught.value.hint
    assert "settings.yaml" in caught.value.message
    return caught.value


def test_keys_keep_their_lines(tmp_path: Path) -> None:
    file = read_yaml(write(tmp_path, "a: 1\nb:\n  c: [x, 2.5, true, null]\n"), "profile")
    assert file.data == {"a": 1, "b": {"c": ["x", 2.5, True, None]}}
    assert file.lines == {"a": 1, "b": 2, "b.c": 3}
    assert file.where("b.c").endswith("settings.yaml line 3")
    assert file.where("unknown") == str(file.path)


@pytest.mark.parametrize(
    "content", ["", "\n\n", "# only a comment\n", "---\n", "null\n", b"\xef\xbb\xbf"]
)
def test_an_empty_file_is_an_empty_mapping(tmp_path: Path, content: str | bytes) -> None:
    assert read_yaml(write(tmp_path, content), "profile").data == {}


def test_keys_and_dates_stay_text(tmp_path: Path) -> None:
    file = read_yaml(write(tmp_path, "no: 1\n404: 2\nday: 2026-01-31\n"), "profile")
    assert file.data == {"no": 1, "404": 2, "day": "2026-01-31"}


def test_a_byte_order_mark_and_crlf_are_not_content(tmp_path: Path) -> None:
    file = read_yaml(write(tmp_path, b"\xef\xbb\xbfname: a\xef\xbb\xbfb\r\ntop: |\r\n  x\r\n"), "p")
    assert file.data == {"name": "a\ufeffb", "top": "x\n"}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_refused_by_name(tmp_path: Path, encoding: str) -> None:
    assert "UTF-16" in refusal(tmp_path, "name: x\n".encode(encoding)).message


@pytest.mark.parametrize(
    ("content", "fragment"),
    [
        ("- a\n- b\n", "not a list of `name: value`"),
        ("just text\n", "not a list of `name: value`"),
        ("a: 1\na: 2\n", "a is set twice"),
        ("b:\n  a: 1\n  a: 2\n", "b.a is set twice"),
        ("a: &x [1]\nb: *x\n", "alias (*x)"),
        ("a: 'open\n", "not valid YAML"),
        ("a: 1\n---\nb: 2\n", "not valid YAML"),
        ("? [a, b]\n: 1\n", "A key is not plain text"),
        ("a: !!python/object:os.system x\n", "a has a value that cannot be used"),
        ("a: !!binary aGk=\n", "a has a value that cannot be used"),
        ("a: !!int nope\n", "a has a value that cannot be used"),
        (f"a: {'9' * 5_000}\n", "a has a value that cannot be used"),
        (b"a: \xff\xfe\xff\n", "not UTF-8 at byte 3"),
        ("a: " + "[" * 20 + "]" * 20, "nested more than 16 levels"),
        ("a: " + "[" * 100_000, "profile"),
    ],
)
def test_what_is_not_plain_is_refused(tmp_path: Path, content: str | bytes, fragment: str) -> None:
    assert fragment in refusal(tmp_path, content).message


def test_a_document_that_grows_by_aliases_is_refused_before_it_grows(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x]"]
    lines += [f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 60)]
    assert "alias" in refusal(tmp_path, "\n".join(lines)).message


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    assert "larger than" in refusal(tmp_path, b"a" * (MAX_BYTES + 1)).message


def test_a_missing_file_and_a_folder_are_said_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No profile at") as missing:
        read_yaml(tmp_path / "none.yaml", "profile")
    assert missing.value.hint
    with pytest.raises(ConfigError, match="cannot be read"):
        read_text_file(tmp_path, "profile")
