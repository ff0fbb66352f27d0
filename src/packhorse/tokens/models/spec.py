"""What the model table says about a model: limits, tokenizer, and the rules of its provider."""

from dataclasses import dataclass
from typing import Literal

from packhorse.tokens.calibration import Calibration

__all__ = [
    "ChatFraming",
    "Evidence",
    "ImageRule",
    "ModelSpec",
    "ReasoningRule",
    "Shape",
    "ToolRule",
]

Shape = Literal["openai", "anthropic", "gemini"]

Evidence = Literal["provider page", "quoted page", "catalogue", "family", "own"]
"""Where a row's limits were read: the maker's own page, model card or code; a public text that
quotes it with address and day; a public catalogue; the maker's word on another model of the same
series; the user's own file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatFraming:
    """Tokens that a provider puts around messages."""

    per_message: int
    per_name: int = 0
    """Added to the name's own tokens."""
    reply: int = 0
    """Once a request: opens it and primes the answer."""
    per_call: int = 0
    """Around each tool call that an assistant made, besides its name and arguments."""
    role: bool = True
    """Whether the role's own tokens count besides `per_message`."""
    published: bool = True
    """Whether the provider states the rule; if not, the figures are an upper estimate."""
    source: str
    as_of: str = ""
    """Day on which the source was read, ISO 8601."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRule:
    """What the definitions of tools cost.

    `functions` is OpenAI's published sum over names, types and descriptions; `schema` counts each
    definition as compact JSON.
    """

    kind: Literal["functions", "schema"]
    per_request: int = 0
    """Once, when there is any tool."""
    per_request_forced: int = 0
    """In place of `per_request` when the request forces a call; 0 is the same as that."""
    per_tool: int = 0
    properties: int = 0
    """Once a tool that has properties."""
    per_property: int = 0
    enum: int = 0
    """Once an enumeration."""
    per_enum_item: int = 0
    published: bool = True
    source: str
    as_of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageRule:
    """What an image costs, from its size in pixels.

    `tiles`: base + unit x (512-pixel tiles after scaling to 2048, then to 768 on the short side);
    `patches`: base + multiplier x patches of `unit` pixels, scaled down to at most `cap` of them;
    `claude`: patches of `unit` pixels, scaled down to `max_edge` and `cap` both; `squares`: base up
    to 384 x 384, else base for each tile of two thirds of the short side; `flat`: base.
    """

    kind: Literal["tiles", "patches", "claude", "squares", "flat"]
    base: int = 0
    """Fixed part; for `tiles` also the price of an image in low detail."""
    unit: int = 0
    cap: int = 0
    max_edge: int = 0
    """Longest side, in pixels, that an image is scaled down to first; 0: none."""
    low_cap: int = 0
    """Patches of an image in low detail; 0: low detail is priced like high."""
    original_cap: int = 0
    """`cap` for the detail `original`; 0: priced like high."""
    original_edge: int = 0
    """`max_edge` for the detail `original`; 0: none."""
    auto_original: bool = False
    """Whether `auto`, or no detail, means `original`."""
    multiplier: float = 1.0
    published: bool = True
    source: str
    as_of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningRule:
    """How a model thinks before it answers, and what that takes of the window."""

    always: bool = False
    """Whether it cannot be switched off."""
    control: Literal["effort", "budget", "switch", "none"]
    """What the caller may set: a level, a number of tokens, on or off, nothing."""
    in_output: bool = True
    """Whether thinking counts against `max_output` and is billed as output."""
    min_budget: int | None = None
    """Smallest budget in tokens, where the caller may set one."""
    max_budget: int | None = None
    """Largest budget in tokens; None: no limit but the output's."""
    earlier_turns: bool | None = None
    """Whether thinking of earlier turns that is sent back counts as input; None: not stated."""
    published: bool = True
    source: str
    as_of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """One model: all figures in tokens of its own tokenizer."""

    name: str
    aliases: tuple[str, ...] = ()
    """Other names of the same thing, dated snapshots among them."""
    provider: str
    window: int
    """Input and output together."""
    max_output: int
    max_input: int | None = None
    """Limit of the input alone, where the provider sets one below the window."""
    tokenizer: str
    """Registered name; in a user's file also a path, relative to that file."""
    tokenizer_source: str | None = None
    """What says that this is the model's tokenizer, or why it is only near it."""
    exact: bool
    """Whether `tokenizer` is the model's own; if not, counts are estimates with `margin`."""
    margin: float = 0.0
    """Share added to every count, 0..1; 0 when exact."""
    template: str | None = None
    """File with the model's chat template, from a user's file and relative to it."""
    shape: Shape
    """Which chat request the model takes."""
    framing: ChatFraming
    tools: ToolRule
    images: ImageRule | None = None
    """None where no rule is known: an image is then refused rather than guessed."""
    reasoning: ReasoningRule | None = None
    """None for a model that answers without thinking first."""
    calibration: Calibration | None = None
    """What reported usage showed about counts of this model; from a file of `calibrate`."""
    retired: str | None = None
    """Day on which the provider switches it off, as announced or as a catalogue says; ISO 8601."""
    source: str
    """The public document that the limits were read from."""
    evidence: Evidence = "own"
    """What kind of document that is."""
    as_of: str
    """Day on which it was read, ISO 8601."""
