"""What is exactly so: another library computes the same, and cuts text the same."""

import math

import torch

from bottomup.experiments.pretrained.lists import prose
from bottomup.experiments.pretrained.opened import Opened
from bottomup.experiments.pretrained.quantities import LINES
from bottomup.models import bert_weights, from_bert


@torch.no_grad()
def measure_exact(opened: Opened) -> dict[str, float]:
    """Compare with the libraries transformers and tokenizers on lines of this book.

    Without the libraries there is nothing to compare, and no number.
    """
    try:
        from tokenizers import BertWordPieceTokenizer
        from transformers import BertConfig, BertModel
    except ImportError:
        return {}
    lines = prose()[:LINES]
    pieces = {piece: number for number, piece in enumerate(opened.pieces.pieces)}
    library = BertWordPieceTokenizer(pieces, lowercase=True)
    alike = [library.encode(line).ids == opened.pieces.encode(line) for line in lines]
    encoder = opened.encoder
    config = BertConfig(
        vocab_size=encoder.words.num_embeddings,
        hidden_size=encoder.d_model,
        num_hidden_layers=len(encoder.layers),
        num_attention_heads=encoder.num_heads,
        intermediate_size=encoder.d_ff,
        max_position_embeddings=encoder.places.num_embeddings,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    theirs = BertModel(config, add_pooling_layer=False).double()
    theirs.load_state_dict(bert_weights(encoder))
    ours = from_bert(bert_weights(encoder), encoder.num_heads).double()
    worst = 0.0
    for _, tokens in opened.batches(lines):
        states = theirs(tokens, output_hidden_states=True).hidden_states
        for mine, its in zip(ours(tokens).states, states, strict=True):
            worst = max(worst, float((mine - its).abs().max()))
    return {"state_digits": -math.log10(max(worst, 1e-17)), "lines_alike": sum(alike) / len(lines)}
