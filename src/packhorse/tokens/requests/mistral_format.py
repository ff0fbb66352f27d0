"""mistral-common's builder of requests, with a tokenizer in it that only counts."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packhorse.errors import ConfigError, InputError
from packhorse.tokens.requests.image_size import pixel_size
from packhorse.tokens.vocabularies.file import vocabulary_file
from packhorse.tokens.vocabularies.mistral import SENTENCEPIECE_FILES, TEKKEN_FILES, mistral_file
from packhorse.tokens.vocabularies.packages import Extra, optional_module

if TYPE_CHECKING:
    from packhorse.protocols import TokenCounter
    from packhorse.tokens.models.spec import ModelSpec

__all__ = ["FORMAT", "ExpressError", "MistralFormat", "mistral_format"]

FORMAT = "mistral-common"
EXTRA = Extra("mistral", "Counting requests to Mistral models")
NAMED_VERSION = re.compile(r"v(\d+)(?:m(\d+))?")
N_BYTES = 256
FIRST_PLAIN = 1
"""Any rank will do for a token that only counts."""


class ExpressError(InputError):
    """A part of a request that mistral-common has no place for."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(
            f"{where}: mistral-common cannot express it: {what}",
            hint="Leave the part out, or count with a model that is not counted by mistral-common",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    """What a vocabulary file says about requests, besides its tokens."""

    version: str
    """Empty where the file does not say."""
    special_tokens: tuple[str, ...] = ()
    image: dict[str, int] | None = None
    settings: Any = None
    """How model settings are written, from version 15 on."""


@dataclass(frozen=True, slots=True)
class _TekkenConfig:
    version: str


@dataclass(frozen=True, slots=True)
class _TekkenFile:
    """What is read of a `tekken.json`."""

    config: _TekkenConfig
    special_tokens: list[dict[str, Any]] | None = None
    image: dict[str, int] | None = None
    multimodal: dict[str, int] | None = None
    """What `image` was called up to version 11."""
    model_settings_builder: dict[str, Any] | None = None


class MistralFormat:
    """Builds requests of one version of Mistral's format and counts their tokens."""

    def __init__(self, spec: ModelSpec, counter: TokenCounter) -> None:
        self._spec = spec
        self._counter = counter

    @property
    def version(self) -> int:
        """Number of the format's version."""
        return int(self._facts.version[1:])

    def n_tokens(self, body: dict[str, Any]) -> int:
        """Tokens of a request body in OpenAI's or Mistral's form, begin of sentence included.

        Raises:
            MissingExtraError: the extra `mistral` is not installed.
            InputError: mistral-common refuses the request.
        """
        tokenizer = self._tokenizer
        pydantic = optional_module("mistral-common", "pydantic", extra=EXTRA)
        request_module = _module("mistral_common.protocol.instruct.request")
        exceptions = _module("mistral_common.exceptions")
        last = body["messages"][-1] if body["messages"] else {}
        goes_on = bool(body.get("continue_final_message")) or bool(last.get("prefix"))
        optional = {
            name: body[name] for name in ("response_format", "reasoning_effort") if body.get(name)
        }
        try:
            request = request_module.ChatCompletionRequest.from_openai(
                messages=body["messages"],
                tools=body.get("tools") or None,
                continue_final_message=goes_on,
                **optional,
            )
            return len(tokenizer.encode_chat_completion(request).tokens)
        except (InputError, RecursionError):
            raise
        except pydantic.ValidationError as error:
            first = error.errors(include_url=False, include_context=False)[0]
            place = ".".join(str(part) for part in first["loc"]) or "request"
            raise ExpressError(place, first["msg"]) from error
        # Assertions and look-ups inside the library are how it refuses some requests.
        except (
            exceptions.MistralCommonException,
            AssertionError,
            AttributeError,
            LookupError,
            NotImplementedError,
            RuntimeError,
            TypeError,
            ValueError,
        ) as error:
            raise ExpressError("request", _reason(error)) from error

    def image_tokens(self, data: str | None) -> int:
        """Tokens of an image: one a patch, one more a row (mistral-common, ImageEncoder).

        Raises:
            InputError: the model takes no images, or the size cannot be read.
        """
        config = self._facts.image
        if config is None:
            raise ExpressError("image", f"{self._spec.name} takes no images")
        try:
            size = pixel_size(base64.b64decode(data or "", validate=True))
        except binascii.Error:
            size = None
        if size is None:
            raise InputError(
                "The size of an image cannot be read", hint="Give a PNG, JPEG, GIF or WebP file"
            )
        columns, rows = _patches(*size, config)
        return (columns + 1) * rows

    @cached_property
    def _facts(self) -> _Facts:
        _, _, version = (self._spec.template or "").partition(":")
        if version and NAMED_VERSION.fullmatch(version) is None:
            raise ConfigError(
                f"The template of {self._spec.name} names the version {version!r}",
                hint="Write mistral-common:v3, or another version of mistral-common's format",
            )
        facts = _facts_of(self._spec.tokenizer)
        if not version and not facts.version:
            raise ConfigError(
                f"The vocabulary {self._spec.tokenizer} does not say which of Mistral's formats it"
                " is for",
                hint="Name it in the model's row: template: mistral-common:v3",
            )
        return replace(facts, version=version or facts.version)

    @cached_property
    def _tokenizer(self) -> Any:
        """A `MistralTokenizer` of the right version, made without its vocabulary."""
        base = _module("mistral_common.tokens.tokenizers.base")
        instruct = _module("mistral_common.tokens.tokenizers.instruct")
        mistral = _module("mistral_common.tokens.tokenizers.mistral")
        facts = self._facts
        if facts.version not in base.TokenizerVersion.__members__:
            known = ", ".join(base.TokenizerVersion.__members__)
            raise ConfigError(
                f"mistral-common knows no version {facts.version} of its format",
                hint=f"Known versions: {known}",
            )
        version = base.TokenizerVersion(facts.version)
        counting = _counting_tokenizer(self._counter, facts, version)
        build = getattr(instruct, f"InstructTokenizer{facts.version.upper()}")
        settings = counting.model_settings_builder
        images = {} if facts.image is None else {"image_encoder": self._encode_image(counting)}
        return mistral.MistralTokenizer(
            build(counting, **images),
            validator=mistral.get_validator(version, mode=mistral.ValidationMode.test),
            request_normalizer=mistral.get_normalizer(version, settings),
        )

    def _encode_image(self, tokenizer: Any) -> Any:
        """An encoder that reads an image's size and leaves its pixels alone."""
        import numpy as np

        image = _module("mistral_common.tokens.tokenizers.image")
        token = tokenizer.get_special_token("[IMG]")

        def encode(chunk: Any) -> Any:
            data = chunk.get_url().partition(",")[2]
            return image.ImageEncoding(tokens=[token] * self.image_tokens(data), image=np.empty(0))

        return encode


@lru_cache(maxsize=8)
def mistral_format(spec: ModelSpec, counter: TokenCounter) -> MistralFormat:
    """The format of a model; one is kept, since a request is counted in many small steps."""
    return MistralFormat(spec, counter)


def _counting_tokenizer(counter: TokenCounter, facts: _Facts, version: Any) -> Any:
    """A Tekken tokenizer of 256 tokens whose `encode` gives as many tokens as there would be."""
    base = _module("mistral_common.tokens.tokenizers.base")
    tekken = _module("mistral_common.tokens.tokenizers.tekken")
    builder = _module("mistral_common.tokens.tokenizers.model_settings_builder")

    class CountingTekkenizer(tekken.Tekkenizer):  # type: ignore[misc, name-defined] # imported late
        def encode(self, s: str, bos: bool, eos: bool) -> list[int]:  # noqa: FBT001 - theirs
            plain = [self.num_special_tokens + FIRST_PLAIN] * counter.count(s)
            return [self.bos_id] * bos + plain + [self.eos_id] * eos

    names = facts.special_tokens or tuple(token.value for token in base.SpecialTokens)
    settings = (
        builder.ModelSettingsBuilder.model_validate(facts.settings)
        if facts.settings is not None and version.supports_model_settings
        else None
    )
    return CountingTekkenizer(
        vocab=[
            {"rank": byte, "token_bytes": base64.b64encode(bytes([byte])), "token_str": None}
            for byte in range(N_BYTES)
        ],
        special_tokens=[
            {"rank": rank, "token_str": name, "is_control": True} for rank, name in enumerate(names)
        ],
        pattern=r"[\s\S]",
        vocab_size=N_BYTES + len(names),
        num_special_tokens=len(names),
        version=version,
        model_settings_builder=settings,
    )


def _facts_of(tokenizer: str) -> _Facts:
    """What the vocabulary of a model says about requests."""
    if tokenizer in SENTENCEPIECE_FILES:
        return _Facts(version=tokenizer.rpartition("-")[2])
    path = (
        mistral_file(tokenizer) if tokenizer in TEKKEN_FILES else vocabulary_file(Path(tokenizer))
    )
    if path.suffix == ".json":
        return _tekken_facts(path)
    named = NAMED_VERSION.fullmatch(path.suffix.removeprefix("."))
    if named is None:
        return _Facts(version="")
    # mistral-common's MultiModalVersion.m1, the only one there is.
    image = {"image_patch_size": 16, "max_image_size": 1024} if named[2] else None
    return _Facts(version=f"v{named[1]}", image=image)


def _tekken_facts(path: Path) -> _Facts:
    import msgspec

    try:
        # Fields that the type does not name, the tokens above all, are passed over.
        content = msgspec.json.decode(path.read_bytes(), type=_TekkenFile)
    except (OSError, msgspec.MsgspecError, RecursionError) as error:
        raise InputError(
            f"{path} is not a whole Tekken vocabulary: {error}",
            hint="Copy the file again from where the model comes from",
        ) from error
    return _Facts(
        version=content.config.version,
        special_tokens=tuple(token["token_str"] for token in content.special_tokens or ()),
        image=content.image or content.multimodal,
        settings=content.model_settings_builder,
    )


def _patches(width: int, height: int, config: dict[str, int]) -> tuple[int, int]:
    """Columns and rows of patches, once the image is scaled down to the largest side allowed."""
    ratio = max(width, height) / config["max_image_size"]
    if ratio > 1:
        width, height = max(round(width / ratio), 1), max(round(height / ratio), 1)
    patch = config["image_patch_size"] * config.get("spatial_merge_size", 1)
    return -(-width // patch), -(-height // patch)


def _module(name: str) -> Any:
    return optional_module("mistral-common", name, extra=EXTRA)


def _reason(error: Exception) -> str:
    """What a foreign error says, in one line; an assertion or look-up may say nothing."""
    said = " ".join(str(error).split())
    return said if said and not isinstance(error, KeyError) else f"{type(error).__name__} {said}"
