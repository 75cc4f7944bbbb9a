"""What is written in the figure of a token's journey."""

from bottomup.i18n import _
from bottomup.models import TransformerConfig


def station_name(side: str, part: str, layer: int | None) -> str:
    """Return a station's name, such as "Layer 1: self-attention"."""
    end = _("Memory") if side == "encoder" else _("End of the decoder")
    name = {
        "tokens": _("Tokens"),
        "embedding": _("Embedding"),
        "positions": _("Positions"),
        "attention": _("self-attention"),
        "cross_attention": _("cross-attention"),
        "feed_forward": _("feed-forward network"),
        "norm": end,
        "logits": _("Logits"),
    }[part]
    if layer is None:
        return name
    return _("Layer {layer}: {name}").format(layer=layer + 1, name=name)


def formulas(part: str, config: TransformerConfig) -> list[str]:
    """Return what a station computes, with and without the residual connection."""
    pre = config.norm == "pre"
    sublayers = {
        "attention": _("Attention({x})"),
        "cross_attention": _("Attention({x}, memory)"),
        "feed_forward": _("FFN({x})"),
    }
    if part in sublayers:
        update = sublayers[part].format(x="N(x)" if pre else "x")
        both = [f"x + {update}", update]
        return both if pre else [f"N({one})" for one in both]
    only = {
        "tokens": _("numbers in the vocabulary"),
        "embedding": _("√{width} · the token's row of the table").format(width=config.d_model),
        "positions": _("x + the position's vector"),
        "norm": "N(x)" if config.ends_in_norm else "x",
        "logits": _("x · each of the {width} rows of the table").format(
            width=config.target_vocabulary
        ),
    }[part]
    return [only, only]


def texts(d_model: int) -> dict[str, str]:
    """Return every label; names in braces are filled in by the script."""
    return {
        "title": _("A token's journey"),
        "residual": _("Residual connections"),
        "on": _("on"),
        "off": _("off"),
        "source": _("Source token"),
        "target": _("Target token that the decoder reads"),
        "encoder": _("Encoder"),
        "decoder": _("Decoder"),
        "length": _("length"),
        "apart": _("apart"),
        "word": _("word"),
        "place": _("place"),
        "following": _("next"),
        "number": _("number {number}"),
        "to_answers": _("largest below"),
        "about_length": _("Length: of the stream at this position. Apart: of what is left of it "
                          "without the sentence's mean; this rest tells the position from the "
                          "others."),
        "about_cosines": _("Word, place, next: cosine of the rest with the token's own embedding, "
                           "its position's vector, and the token to be predicted. Random "
                           "directions: about ±{chance}.").format(chance=f"{d_model**-0.5:.2f}"),
        "nearest": _("no other word of the vocabulary, or place of the sentence, is nearer"),
        "brackets": _("the rest is below {percent}\u00a0% of the length; no star there"),
        "answers": _("What comes behind “{token}”: most probable tokens"),
        "with": _("with residual connections"),
        "without": _("without"),
        "token": _("token"),
        "probability": _("probability"),
        "right": _("the true one"),
        "said_on": _("With residual connections"),
        "said_off": _("Without residual connections"),
        "said_source": _("{switch} the memory of “{token}” has the cosine {word} with its own word "
                         "and {place} with its own place; {share}\u00a0% of its length tells "
                         "it from the other positions."),
        "said_target": _("Behind “{token}” the model then expects “{answer}”, probability {share}: "
                         "{verdict}."),
        "said_right": _("right"),
        "said_wrong": _("the true one is “{expected}”"),
    }  # fmt: skip
