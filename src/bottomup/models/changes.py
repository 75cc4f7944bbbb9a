"""What can be changed in a trained Transformer, by name."""

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Patch:
    """A state of the stream that is replaced by another one.

    Attributes:
        station: "source" or "target" for what a side's first layer reads,
            "encoder_layers.0" for what leaves a layer, "memory" for what the
            decoder reads of the source.
        position: at which position of the sequence, counted from 0; of a
            shorter sequence nothing is replaced.
        state: d_model numbers.

    Example:
        >>> Patch("memory", position=2, state=(0.5, -1.0)).station
        'memory'
    """

    station: str
    position: int
    state: tuple[float, ...]


@dataclass(frozen=True, kw_only=True, repr=False)
class Changes:
    """What is changed in a trained Transformer; by default nothing.

    Parts have the names of their modules. A sublayer is one of
    ``encoder_layers.0.attention``, ``encoder_layers.0.feed_forward``,
    ``decoder_layers.0.attention``, ``decoder_layers.0.cross_attention`` and
    ``decoder_layers.0.feed_forward``, with the number of its layer.

    Attributes:
        heads: heads that put out zeros: a sublayer's name and the head's
            number, ``decoder_layers.1.cross_attention:2``.
        skips: sublayers whose result replaces the stream, ``x <- update``; with
            post-norm, ``x <- N(update)``.
        updates: sublayers whose result is not added, ``x <- x``; with
            post-norm, ``x <- N(x)``.
        positions: "source" or "target", where no position is added.
        causal: whether a target position reads only itself and what stands
            before it. The model was trained so.
        hidden: positions of the source that nobody reads.
        patches: states that come from elsewhere.

    Chapter 05 changes its translator with it.

    Example:
        >>> Changes(heads=("encoder_layers.0.attention:2",), causal=False).heads
        ('encoder_layers.0.attention:2',)
    """

    heads: tuple[str, ...] = ()
    skips: tuple[str, ...] = ()
    updates: tuple[str, ...] = ()
    positions: tuple[str, ...] = ()
    causal: bool = True
    hidden: tuple[int, ...] = ()
    patches: tuple[Patch, ...] = ()

    def __repr__(self) -> str:
        changed = [
            f"{field.name}={getattr(self, field.name)!r}"
            for field in fields(self)
            if getattr(self, field.name) != field.default
        ]
        return f"Changes({', '.join(changed)})"
