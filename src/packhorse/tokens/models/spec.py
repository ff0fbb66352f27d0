"""What the model table says about a model: limits, tokenizer, and the rules of its provider."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["ChatFraming", "ImageRule", "ModelSpec", "Shape", "ToolRule"]

Shape = Literal["openai", "anthropic", "gemini"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatFraming:
    """Tokens that a provider puts around messages."""

    per_message: int
    per_name: int = 0
    """Added to the name's own tokens."""
    reply: int = 0
    """Once a request: primes the answer."""
    per_call: int = 0
    """Around each tool call that an assistant made, besides its name and arguments."""
    role: bool = True
    """Whether the role's own tokens count besides `per_message`."""
    published: bool = True
    """Whether the provider states the rule; if not, the figures are an upper estimate."""
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRule:
    """What the definitions of tools cost.

    `functions` is OpenAI's published sum over names, types and descriptions; `schema` counts each
    definition as compact JSON.
    """

    kind: Literal["functions", "schema"]
    per_request: int = 0
    """Once, when there is any tool."""
    per_tool: int = 0
    properties: int = 0
    """Once a tool that has properties."""
    per_property: int = 0
    enum: int = 0
    """Once an enumeration."""
    per_enum_item: int = 0
    published: bool = True
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageRule:
    """What an image costs, from its size in pixels.

    `tiles`: base + unit x (512-pixel tiles after scaling to 2048, then to 768 on the short side);
    `patches`: base + multiplier x patches of `unit` pixels, at most `cap` patches, an upper bound
    where the provider scales down to fewer; `squares`: base up to 384 x 384, else base for each
    tile of two thirds of the short side; `flat`: base.
    """

    kind: Literal["tiles", "patches", "squares", "flat"]
    base: int = 0
    """Fixed part; for `tiles` also the price of an image in low detail."""
    unit: int = 0
    cap: int = 0
    multiplier: float = 1.0
    published: bool = True
    source: str


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
    exact: bool
    """Whether `tokenizer` is the model's own; if not, counts are estimates with `margin`."""
    margin: float = 0.0
    """Share added to every count, 0..1; 0 when exact."""
    shape: Shape
    """Which chat request the model takes."""
    framing: ChatFraming
    tools: ToolRule
    images: ImageRule | None = None
    """None where no rule is known: an image is then refused rather than guessed."""
    source: str
    """The public document that the limits were read from."""
    as_of: str
    """Day on which it was read, ISO 8601."""
