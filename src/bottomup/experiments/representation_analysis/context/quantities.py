"""Chapter 08: what a word's nearest copies share, from layer to layer."""

from statistics import fmean

from bottomup.experiments.engine.entries import Values
from bottomup.experiments.engine.record import Record


def fall_on_the_left(record: Record, network: str) -> Values:
    """Return the share with the same word to the left, layer 1 less the last layer."""
    shares = record.metric(f"{network}.share.left_word")
    return tuple(layers["layer_1"] - layers[_top(record)] for layers in shares)


def peak(record: Record) -> Values:
    """Return MLM's share with the same words beside it, layer 2 less the larger of both ends."""
    found = []
    for shares in record.metric("mlm.share"):
        embedding, second, last = (
            fmean((shares["left_word"][layer], shares["right_word"][layer]))
            for layer in ("layer_0", "layer_2", _top(record))
        )
        found.append(second - max(embedding, last))
    return tuple(found)


def _top(record: Record) -> str:
    return f"layer_{record.config['base']['num_layers']}"
