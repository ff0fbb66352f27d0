"""Models in ONNX files: pooled, prompted and cut as their files say, and clear about faults."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fixtures.minilm_folder import write_minilm_folder
from packhorse.embed.minilm import MiniLmEmbedder
from packhorse.embed.onnx import OnnxEmbedder
from packhorse.errors import ConfigError, PackhorseError, RetrievalError
from tests.embed.tiny_embedder import DIMENSION, vector_of, write_tiny_embedder

POOLING = "1_Pooling/config.json"
CLS_POOLING = {POOLING: {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}}
PROMPTS = {"config_sentence_transformers.json": {"prompts": {"query": "query ", "passage": "x"}}}
DENSE = {"modules.json": [{"type": "a.Transformer"}, {"type": "a.Pooling"}, {"type": "a.Dense"}]}

CLS, SEP = "[CLS]", "[SEP]"


def near(row: Any, *words: str) -> bool:
    return bool(np.allclose(row, vector_of(*words), atol=1e-6))


def test_the_built_in_model_as_a_file_gives_its_vectors_to_the_last_bit(tmp_path: Path) -> None:
    with Path("fixtures/tax_kb/chunks.jsonl").open(encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines][:6]
    texts += ["", " \n", "税務署", "word " * 400, "broken \ud800 text", "[SEP] and [MASK]"]
    own = OnnxEmbedder(write_minilm_folder(tmp_path))
    assert own.embed(texts).tobytes() == MiniLmEmbedder().embed(texts).tobytes()
    assert own.embed_questions(texts[:2]).tobytes() == own.embed(texts[:2]).tobytes()
    assert own.dimension == MiniLmEmbedder.dimension
    assert "pooling=mean normalised=l2 max_pieces=256" in own.fingerprint


def test_pieces_are_pooled_as_the_files_say_or_as_is_asked(tmp_path: Path) -> None:
    model = write_tiny_embedder(tmp_path, files=CLS_POOLING)
    assert near(OnnxEmbedder(model).embed(["tax home"])[0], CLS)
    assert near(OnnxEmbedder(model, pooling="lasttoken").embed(["tax home"])[0], SEP)
    mean = OnnxEmbedder(model, pooling="mean")
    assert near(mean.embed(["tax home"])[0], CLS, "tax", "home", SEP)
    assert len({each.fingerprint for each in (mean, OnnxEmbedder(model))}) == 2


def test_without_files_it_is_the_mean_without_prompts(tmp_path: Path) -> None:
    own = OnnxEmbedder(write_tiny_embedder(tmp_path))
    assert near(own.embed(["tax tax"])[0], CLS, "tax", "tax", SEP)
    assert near(own.embed_questions(["tax tax"])[0], CLS, "tax", "tax", SEP)
    assert "question" not in own.fingerprint
    assert "max_pieces=512" in own.fingerprint


@pytest.mark.parametrize("output", ["sentence_embedding", "pooled"])
def test_an_output_that_is_pooled_is_taken_as_it_is(tmp_path: Path, output: str) -> None:
    model = write_tiny_embedder(tmp_path, output=output, pooled=True, files=CLS_POOLING)
    assert near(OnnxEmbedder(model).embed(["home"])[0], CLS, "home", SEP)
    with pytest.raises(ConfigError, match="pooled already") as caught:
        OnnxEmbedder(model, pooling="cls").embed(["home"])
    assert caught.value.hint == "Leave ,pooling=cls out"


def test_questions_and_passages_have_the_prompts_of_the_file_or_those_asked(tmp_path: Path) -> None:
    model = write_tiny_embedder(tmp_path, files=PROMPTS)
    own = OnnxEmbedder(model)
    assert near(own.embed_questions(["tax"])[0], CLS, "query", "tax", SEP)
    assert near(own.embed(["tax"])[0], CLS, "[UNK]", SEP)  # xtax
    assert own.fingerprint.endswith('question="query " passage="x"')
    asked = OnnxEmbedder(model, question="home ", passage="")
    assert near(asked.embed_questions(["tax"])[0], CLS, "home", "tax", SEP)
    assert near(asked.embed(["tax"])[0], CLS, "tax", SEP)
    assert asked.fingerprint.endswith('question="home " passage=""')


def test_a_text_without_a_piece_has_no_direction_whatever_the_prompt(tmp_path: Path) -> None:
    own = OnnxEmbedder(write_tiny_embedder(tmp_path), question="query ")
    rows = own.embed_questions(["", " \n", "tax"])
    assert rows.any(axis=1).tolist() == [False, False, True]
    assert own.embed_questions([]).shape == own.embed([]).shape == (0, DIMENSION)
    assert own.embed([""]).tolist() == [[0.0] * DIMENSION]


def test_a_vector_depends_neither_on_the_batch_nor_on_the_number_of_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = OnnxEmbedder(write_tiny_embedder(tmp_path))
    texts = ["tax home", "", "home office " * 50, "tax", "office unknown", "query"]
    alone = np.concatenate([own.embed([text]) for text in texts])
    assert own.embed(texts).tobytes() == alone.tobytes()
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    assert own.embed(texts).tobytes() == alone.tobytes()


def test_as_many_pieces_are_read_as_is_asked_or_the_files_say(tmp_path: Path) -> None:
    bert = {"sentence_bert_config.json": {"max_seq_length": 32}}
    model = write_tiny_embedder(tmp_path, max_length=64, files=bert)
    assert "max_pieces=32" in OnnxEmbedder(model).fingerprint
    assert "max_pieces=16" in OnnxEmbedder(model, length=16).fingerprint
    (tmp_path / "sentence_bert_config.json").write_text('{"max_seq_length": null}')
    assert "max_pieces=64" in OnnxEmbedder(model).fingerprint
    sixteen = OnnxEmbedder(model, length=16)
    late = "tax " * 14 + "office"
    assert near(sixteen.embed([late])[0], CLS, *["tax"] * 14, SEP)
    for length in (15, 8193):
        with pytest.raises(ConfigError, match=f"length is {length} pieces"):
            OnnxEmbedder(model, length=length)


def test_texts_are_put_in_small_letters_where_the_files_say_so(tmp_path: Path) -> None:
    model = write_tiny_embedder(tmp_path)
    assert near(OnnxEmbedder(model).embed(["TAX"])[0], CLS, "[UNK]", SEP)
    (tmp_path / "sentence_bert_config.json").write_text('{"do_lower_case": true}')
    lower = OnnxEmbedder(model)
    assert near(lower.embed(["TAX"])[0], CLS, "tax", SEP)
    assert "lower_case" in lower.fingerprint


def test_a_model_is_found_after_a_change_of_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tiny_embedder(tmp_path)
    monkeypatch.chdir(tmp_path)
    own = OnnxEmbedder("model.onnx")
    monkeypatch.chdir("/")
    assert own.fingerprint
    assert own.embed(["tax"]).any()


def test_the_fingerprint_is_of_the_content_and_not_of_the_place(tmp_path: Path) -> None:
    one = OnnxEmbedder(write_tiny_embedder(tmp_path / "one"))
    same = OnnxEmbedder(write_tiny_embedder(tmp_path / "elsewhere"))
    assert one.fingerprint == same.fingerprint
    other = OnnxEmbedder(write_tiny_embedder(tmp_path / "other", weight=2.0))
    path = write_tiny_embedder(tmp_path / "weights")
    path.with_name("model.onnx_data").write_bytes(b"weights")
    beside = OnnxEmbedder(path)
    cut = OnnxEmbedder(write_tiny_embedder(tmp_path / "cut", max_length=512))
    assert len({each.fingerprint for each in (one, other, beside, cut)}) == 4
    assert str(tmp_path) not in one.fingerprint


def test_the_tokenizer_of_a_model_in_a_folder_called_onnx_may_be_above(tmp_path: Path) -> None:
    model = write_tiny_embedder(tmp_path, files=PROMPTS)
    (tmp_path / "onnx").mkdir()
    moved = model.rename(tmp_path / "onnx" / "model.onnx")
    assert near(OnnxEmbedder(moved).embed_questions(["tax"])[0], CLS, "query", "tax", SEP)


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json"])
def test_a_missing_file_is_named(tmp_path: Path, missing: str) -> None:
    model = write_tiny_embedder(tmp_path)
    (tmp_path / missing).unlink()
    with pytest.raises(ConfigError, match=f"No file for the embedder: .*{missing}") as caught:
        OnnxEmbedder(model)
    assert "tokenizer.json beside it" in caught.value.hint


@pytest.mark.parametrize(
    ("file", "content", "told"),
    [
        ("model.onnx", "{}", "cannot be loaded"),
        ("tokenizer.json", "{}", "is no tokenizer"),
        (POOLING, "{", "Cannot read"),
        (POOLING, "[]", "is no JSON object"),
        (POOLING, '{"pooling_mode_max_tokens": true}', "wants pooling by max"),
        (POOLING, '{"pooling_mode_cls_token": false}', "wants pooling by nothing"),
        (POOLING, '{"pooling_mode": ["cls", "mean"]}', "wants pooling by cls and mean"),
        (POOLING, '{"pooling_mode": "mean", "include_prompt": false}', "the prompt left out"),
        ("modules.json", '{"a": 1}', "is no list of modules"),
        ("sentence_bert_config.json", "\x00", "Cannot read"),
        ("config_sentence_transformers.json", '{"prompts": {"query": 1}}', "no texts by name"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_what_to_do(
    tmp_path: Path, file: str, content: str, told: str
) -> None:
    model = write_tiny_embedder(tmp_path, files=CLS_POOLING)
    (tmp_path / file).write_text(content)
    with pytest.raises(PackhorseError, match=told) as caught:
        OnnxEmbedder(model).embed(["tax"])
    assert file in caught.value.message
    assert caught.value.hint


def test_pooling_by_name_stands_where_the_file_cannot_be_used(tmp_path: Path) -> None:
    model = write_tiny_embedder(tmp_path, files={POOLING: '{"pooling_mode": "max"}', **DENSE})
    assert near(OnnxEmbedder(model, pooling="cls").embed(["tax"])[0], CLS)
    with pytest.raises(ConfigError, match="Unknown pooling 'max'"):
        OnnxEmbedder(model, pooling="max")


@pytest.mark.parametrize("config", [{"pooling_mode": "cls"}, {"pooling_mode": ["cls"]}])
def test_newer_files_name_their_pooling(tmp_path: Path, config: dict[str, object]) -> None:
    model = write_tiny_embedder(tmp_path, files={POOLING: config})
    assert "pooling=cls" in OnnxEmbedder(model).fingerprint


def test_a_layer_behind_the_pooling_that_the_file_lacks_is_no_vector(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="has Dense behind the pooling"):
        OnnxEmbedder(write_tiny_embedder(tmp_path, files=DENSE)).embed(["tax"])
    whole = write_tiny_embedder(tmp_path, output="sentence_embedding", pooled=True, files=DENSE)
    assert OnnxEmbedder(whole).embed(["tax"]).any()


def test_numbers_that_are_no_vector_are_errors(tmp_path: Path) -> None:
    for weight, told in ((float("nan"), "not finite"), (0.0, "zeros alone")):
        model = write_tiny_embedder(tmp_path, weight=weight)
        with pytest.raises(RetrievalError, match=told):
            OnnxEmbedder(model).embed(["tax"])


def test_a_tokenizer_of_another_model_is_an_error_that_says_so(tmp_path: Path) -> None:
    model = write_tiny_embedder(tmp_path, rows=3)
    with pytest.raises(RetrievalError, match="failed on a text of 3 pieces") as caught:
        OnnxEmbedder(model).embed(["office"])
    assert "belong together" in caught.value.hint


def test_a_model_that_reads_something_else_is_refused(tmp_path: Path) -> None:
    model = write_tiny_embedder(tmp_path, inputs=("input_ids", "pixel_values"))
    with pytest.raises(ConfigError, match=r"model\.onnx has an input 'pixel_values'"):
        OnnxEmbedder(model).embed(["tax"])
