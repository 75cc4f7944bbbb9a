"""What an exercise asks for is what the library does: its functions pass."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from sacrebleu.metrics import BLEU
from torch import Tensor, nn

from bottomup import analysis, attention, blocks, data, decoding, masks, metrics, models, training
from bottomup.attention.torch_weights import from_torch
from bottomup.exercises import catalog
from bottomup.exercises.engine.checking import examine
from bottomup.experiments.pretrained.names import beyond_both
from bottomup.experiments.pretrained.opened import MARKS, UNKNOWN
from bottomup.models.input_feeding import InputFeedingDecoder
from bottomup.models.rnn_encoder import Memory
from tests.attention.heads import multi_head_attention
from tests.drawn import global_seed, randn, seeded


def solution(slug: str) -> Callable[..., Any]:
    return catalog()[slug].solution


def heads_of(num_heads: int, W_Q: Tensor, W_V: Tensor, **given: Tensor) -> nn.Module:
    """A module of the library with these parameters; its other biases are zero."""
    widths = {"d_head": len(W_Q) // num_heads, "d_value": len(W_V) // num_heads}
    with global_seed(0):
        module = attention.MultiHeadAttention(W_Q.shape[1], num_heads, **widths).to(W_Q)
    state = {name: torch.zeros_like(value) for name, value in module.state_dict().items()}
    state |= {"W_Q.weight": W_Q, "W_V.weight": W_V}
    state |= {f"{n[2:]}.bias" if n[0] == "b" else f"{n}.weight": x for n, x in given.items()}
    state = {f"W_{n}" if n[0] != "W" else n: x for n, x in state.items()}
    module.load_state_dict(state)
    return module


# ---- Answers of the library


def by_torch(made_of: Sequence[Sequence[tuple[int, float]]]) -> list[float]:
    numbers: list[Tensor] = []
    for parts in made_of:
        number = torch.ones((), dtype=torch.float64, requires_grad=True)
        for part, slope in parts:
            number = number + slope * numbers[part]
        number.retain_grad()
        numbers.append(number)
    numbers[-1].backward()
    return [0.0 if number.grad is None else number.grad.item() for number in numbers]


def pruned(head, num_heads, W_Q, W_K, W_V, b_V, W_O, b_O) -> tuple[Tensor, ...]:
    whole = heads_of(num_heads, W_Q, W_V, W_K=W_K, b_V=b_V, W_O=W_O, b_O=b_O)
    less = attention.prune_heads(whole, [head])
    kept = less.W_Q.weight, less.W_K.weight, less.W_V.weight, less.W_V.bias, less.W_O.weight
    return tuple(parameter.detach() for parameter in (*kept, less.W_O.bias))


def topk(x, W_enc, b_enc, W_dec, b_dec, k) -> tuple[Tensor, ...]:
    with global_seed(0):
        model = models.SparseAutoencoder(x.shape[1], len(W_enc), kind="topk", k=k).to(x)
    model.load_state_dict({"E": W_enc, "b_enc": b_enc, "D": W_dec, "b_dec": b_dec})
    model.project_decoder()
    with torch.no_grad():
        x_hat, activations = model(x)
    return activations, x_hat, model.D.detach()


def shifted(target, bos, eos, pad) -> tuple[Tensor, Tensor]:
    rows = [[token for token in row if token != pad] for row in target.tolist()]
    rows = [[token + 100 for token in row] for row in rows]  # numbers that are no special ones
    batch = data.make_batch([([5], row) for row in rows])
    special = {data.PAD: pad, data.BOS: bos, data.EOS: eos}
    both = (batch.target_in.tolist(), batch.target_out.tolist())
    width = target.shape[1] + 1
    made = (
        [[special.get(n, n - 100) for n in row] + [pad] * (width - len(row)) for row in part]
        for part in both
    )
    read, answered = (torch.tensor(part).to(target.dtype) for part in made)
    return read, answered


def by_sacrebleu(hypotheses, references, n: int) -> float:
    if not hypotheses:
        return 0.0
    score = BLEU(tokenize="none", force=True, smooth_method="none").corpus_score(
        [" ".join(sentence) for sentence in hypotheses],
        [[" ".join(sentence) for sentence in references]],
    )
    matched, total = score.counts[n - 1], score.totals[n - 1]
    return matched / total if total else 0.0


def rows_of(masks: tuple[Tensor, Tensor], i: int) -> list[Tensor]:
    return [mask[i].nonzero().flatten() for mask in masks]


def neighbours(states, tokens, real, k) -> tuple[float, float]:
    found = analysis.same_token_neighbours(states[real], tokens[real], k=k, generator=seeded())
    return found.share, found.ceiling


def two_streams(content, query, order) -> tuple[Tensor, ...]:
    both = zip((content, query), models.two_stream_masks(order), strict=True)
    return tuple(
        attention.scaled_dot_product_attention(asked, content, content, mask)[0]
        for asked, mask in both
    )


def aligned(first_features, second_features, first, second):
    scores = attention.decomposable_scores(first_features, second_features)
    return attention.decomposable_alignment(scores, first, second)[0]


def pieces_of(word, vocabulary) -> list[str]:
    return data.WordPiece([*MARKS, UNKNOWN, *sorted(vocabulary)]).cut(word)


def persons(g, profession) -> Tensor:
    numbers = torch.arange(len(g))
    others = ((profession == own) & (numbers != i) for i, own in enumerate(profession))
    return torch.stack([beyond_both(g, i, each) for i, each in enumerate(others)])


def heads_by_library(query, key, value, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    maps = {"W_Q": W_Q, "W_K": W_K, "W_V": W_V, "W_O": W_O}
    return multi_head_attention(query, key, value, mask, num_heads=num_heads, **maps)


ANSWERS: list[tuple[str, Callable[..., Any]]] = [
    ("padded-cross-entropy", training.token_cross_entropy),
    ("backward-pass", by_torch),
    ("bpe-merge", data.merge_pair),
    (
        "bits-per-character",
        lambda p, n, text: metrics.bits_per_character(n * math.log(p), characters=len(text)),
    ),
    ("additive-score", attention.additive_scores),
    ("masked-softmax", attention.masked_softmax),
    ("general-score", attention.general_scores),
    ("aer", metrics.alignment_error_rate),
    ("local-p-window", attention.local_p_weights),
    ("reinforce-loss", attention.reinforce_loss),
    ("scaled-dot-product-attention", attention.scaled_dot_product_attention),
    ("causal-mask", masks.causal_mask),
    ("sinusoidal-positions", blocks.sinusoidal_positions),
    ("temperature", decoding.softmax_with_temperature),
    ("align-both-ways", aligned),
    ("intra-attention", lambda *inputs: attention.intra_attention(*inputs)[0]),
    ("temporal-weights", lambda scores: attention.temporal_scores(scores).softmax(dim=-1)),
    ("intra-decoder-attention", lambda *given: attention.intra_decoder_attention(*given)[0]),
    ("lin-penalty", attention.overlap_penalty),
    (
        "split-merge-heads",
        lambda x, heads, h: (attention.split_heads(x, h), attention.merge_heads(heads)),
    ),
    ("multi-head-attention", heads_by_library),
    ("prune-head", pruned),
    ("layer-norm", blocks.layer_norm),
    (
        "superposition-loss",
        lambda x, W, b, weights: models.superposition_loss(x, (x @ W.T @ W + b).relu(), weights),
    ),
    ("feature-dimensions", analysis.feature_dimensions),
    ("topk-sae-step", topk),
    ("shift-right", shifted),
    ("copying-score", lambda W_E, W_OV, W_U: analysis.copying_score(W_OV, W_E, W_U)),
    ("prefix-matching-score", analysis.prefix_matching_score),
    ("bleu-clipping", by_sacrebleu),
    ("strided-sets", lambda i, w, n: rows_of(attention.strided_masks(n, w), i)),
    ("fixed-sets", lambda i, w, c, n: rows_of(attention.fixed_masks(n, w, c), i)),
    (
        "blocked-local",
        lambda q, k, v, w: attention.block_attention(q[None], k[None], v[None], block=w)[0],
    ),
    (
        "column-attention",
        lambda q, k, v, w: attention.column_attention(q[None], k[None], v[None], stride=w)[0],
    ),
    ("merge-softmaxes", lambda a, m, b, n: attention.merge_attention([a, b], [m, n])),
    ("recompute", blocks.recompute),
    ("pwcca-weights", lambda X, U_x, U_y: analysis.pwcca_distance(X, U_y, few_samples="allow")),
    ("neighbour-identity", neighbours),
    (
        "memory-update",
        lambda memory, read, written, length: torch.cat(
            models.next_memory([*memory[:, None]], [*read[:, None]], length=length)
        ),
    ),
    ("relative-shift", lambda x: attention.relative_shift(x).tril(x.shape[1] - x.shape[0])),
    ("two-stream-masks", two_streams),
    (
        "grouped-queries",
        lambda query, key, value: attention.grouped_attention(
            query, key, value, attention.sliding_window_mask(query.shape[1])
        )[0],
    ),
    ("rms-norm", blocks.rms_norm),
    (
        "sliding-window",
        lambda n, width, sinks, first: attention.sliding_window_mask(
            n, width, sinks=sinks, first=first
        ),
    ),
    ("longest-match", pieces_of),
    ("persons-part", persons),
]


@pytest.mark.slow
@pytest.mark.parametrize("slug, answer", ANSWERS, ids=[slug for slug, _ in ANSWERS])
def test_the_library_s_function_passes(slug: str, answer: Callable[..., Any]):
    report = examine(catalog()[slug], answer)
    assert report.passed, report


# ---- Solutions that compute the same


def close(ours: Any, theirs: Any) -> None:
    torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-9)


def test_input_feeding():
    with global_seed(0):
        decoder = InputFeedingDecoder(13, attention.DotAttention(), d_embedding=3, d_state=5)
    decoder = decoder.double()
    nn.init.zeros_(decoder.readout.hidden.bias)  # which the paper does not print
    tokens, states = torch.tensor([[1, 4, 12, 7], [2, 9, 0, 5]]), randn(2, 7, 5)
    mask = torch.ones(2, 1, 7, dtype=torch.bool)
    memory = Memory(states=states, mask=mask, summary=randn(2, 5, seed=1))

    def attend(query: Tensor, states: Tensor) -> Tensor:
        return decoder.attention(query[:, None], states, states)[0][:, 0]

    words, start = decoder.embedding(tokens), decoder.start(memory).hidden
    W_c = decoder.readout.hidden.weight
    found = solution("input-feeding")(words, start, states, decoder.cell, attend, W_c)
    close(decoder.readout.logits(found), decoder(tokens, memory)[0])


def test_the_wiring_of_a_decoder_layer_is_torch_s():
    options = {"dropout": 0.0, "batch_first": True, "norm_first": True, "dtype": torch.float64}
    with global_seed(0):
        theirs = nn.TransformerDecoderLayer(6, 2, 11, **options)
    nn.init.zeros_(theirs.linear2.weight)  # its feed-forward network adds nothing
    nn.init.zeros_(theirs.linear2.bias)
    x, memory = randn(2, 3, 6), randn(2, 5, 6, seed=1)
    target_mask = torch.ones(3, 3, dtype=torch.bool).tril().expand(2, 3, 3)
    source_mask = torch.tensor([[[True] * 5], [[True, True, False, False, False]]])

    def as_function(module: nn.MultiheadAttention) -> Callable[..., Tensor]:
        ours = from_torch(module)
        return lambda query, key, value, mask: ours(query, key, value, mask)[0]

    attentions = as_function(theirs.self_attn), as_function(theirs.multihead_attn)
    given = x, memory, target_mask, source_mask, *attentions, theirs.norm1, theirs.norm2
    hidden = ~source_mask[:, 0]
    expected = theirs(x, memory, tgt_mask=~target_mask[0], memory_key_padding_mask=hidden)
    close(solution("cross-attention-wiring")(*given), expected)


def test_steps_of_a_rotary_decoder_are_one_causal_pass():
    n, d_head, base = 7, 6, 50.0
    Q, K, V = (randn(n, d_head, seed=seed) for seed in range(3))
    keys, values, said = K[:0], V[:0], []
    for q, k, v in zip(Q, K, V, strict=True):
        output, keys, values = solution("rotary-step")(q, k, v, keys, values, base)
        said.append(output)
    turned = [blocks.rotate_positions(x, base=base) for x in (Q, K)]
    theirs, _ = attention.scaled_dot_product_attention(*turned, V, causal=True)
    torch.testing.assert_close(torch.stack(said), theirs, rtol=1e-6, atol=1e-6)


def test_linear_biases_and_four_terms():
    query, key = randn(4, 5, 7), randn(4, 5, 7, seed=1)
    biased = query @ key.mT / math.sqrt(7) + attention.alibi_bias(4, 5)
    biased = biased.masked_fill(~attention.sliding_window_mask(5), -math.inf)
    close(solution("linear-biases")(query, key), biased)
    query, key, _, u, v = catalog()["four-terms"].cases[2].fresh().inputs.values()
    n, m = query.shape[1], key.shape[1]
    distances = torch.randn(3, m, 2, generator=seeded(9))
    place = torch.arange(m)[None] - torch.arange(n)[:, None] + n - 1  # [n, m], of the row
    allowed = torch.ones(n, m).tril(m - n)
    ours = solution("four-terms")(query, key, distances[:, place.clamp(0, m - 1)], u, v)
    theirs = attention.relative_scores(query, key, distances, u, v)
    torch.testing.assert_close(ours * allowed, theirs * allowed)
