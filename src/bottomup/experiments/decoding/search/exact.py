"""Chapter 06: what must hold exactly when tokens are written, on random models in float64."""

import itertools
import statistics
from typing import Any, NamedTuple

import torch
from torch import Tensor

from bottomup.data import BOS, EOS, UNK, Batch, Pair, make_batch
from bottomup.decoding import beam_search, gnmt_penalty, greedy
from bottomup.experiments.encoder_decoder.exact import cache_digits
from bottomup.experiments.self_attention.exact import agreeing_digits
from bottomup.experiments.shared.training import seeded
from bottomup.models import Transformer, TransformerConfig

SOURCE_TYPES, TARGET_TYPES = 17, 7
LENGTHS = ((3, 11), (7, 2), (5, 13), (2, 7), (11, 5))  # source and target tokens of each pair
PREFIXES = (1, 4, 2, 7, 3)  # tokens of each prefix that is written on
WRITTEN = 13  # tokens, with the prefix
ROOM = 23  # positions of the models
SHARPER = 2.0  # factor of the tied table, so that some tokens are clearly more probable
KINDS: tuple[dict[str, str], ...] = (
    {"norm": "pre", "positions": "sinusoidal"},
    {"norm": "post", "positions": "sinusoidal"},
    {"norm": "pre", "positions": "learned"},
)

SEARCHED = 4  # tokens of a sequence at most, EOS among them
SPACE = (TARGET_TYPES - 1) ** (SEARCHED - 1) * TARGET_TYPES  # continuations in the last step
NARROWER = (1, 2, 5, 23, 101)
ALPHAS = (0.0, 0.6, 1.0)


class Best(NamedTuple):
    """The sequence with the highest score, without BOS and EOS, and its score."""

    tokens: list[int]
    score: float


def measure_exact(models: int, seed: int, device: torch.device) -> dict[str, Any]:
    """Compare cached steps, memory, searches and ragged prefixes with what they must equal.

    ``cache_digits``, ``prefix_digits``: decimals on which logits agree, those of cached steps with
    those of one pass, and those of prefixes in one batch with those of each alone.
    ``memory_off``: see `memory_off`. ``exhaustive``: see `exhaustive`. ``greedy``: share of
    sentences for which a beam of 1 with alpha 0 writes what `greedy` writes. All are over `models`
    random models, the least or the mean of them.
    """
    generator = torch.Generator().manual_seed(seed)
    pairs = [_random_pair(generator, *lengths) for lengths in LENGTHS]
    batch = make_batch(pairs).to(device)
    made = [
        small_model(seed * models + place, **KINDS[place % len(KINDS)]).to(device)
        for place in range(models)
    ]
    with torch.no_grad():
        return {
            "cache_digits": min(cache_digits(model, batch) for model in made),
            "prefix_digits": min(prefix_digits(model, pairs, generator) for model in made),
            "memory_off": max(memory_off(model, batch) for model in made),
            "greedy": statistics.fmean(beam_of_one_is_greedy(model, batch) for model in made),
            "exhaustive": exhaustive(made, pairs),
        }


def small_model(seed: int, *, norm: str, positions: str) -> Transformer:
    """Return a float64 model of odd sizes; its gains and biases are random, so that each counts."""
    config = TransformerConfig(
        source_vocabulary=SOURCE_TYPES,
        target_vocabulary=TARGET_TYPES,
        d_model=14,
        encoder_layers=3,
        decoder_layers=2,
        num_heads=7,
        d_ff=19,
        norm=norm,
        positions=positions,
        max_length=ROOM,
    )
    with seeded(seed):
        model = Transformer(config).double()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(0.1 * torch.randn_like(parameter))
            model.target_embedding.weight.mul_(SHARPER)
    return model.eval()


def memory_off(model: Transformer, batch: Batch) -> int:
    """Return by how much the numbers that the caches hold differ from the formula.

    ``2 * layers * batch * d_model * (max_length + source)``: keys and values, in each decoder
    layer, for the positions that are written and for those of the source.
    """
    config, (sentences, source) = model.config, batch.source.shape
    state = model.start(batch.source, batch.source_mask)
    held = sum(part.numbers for cache in state.caches for part in cache)
    positions = config.max_length + source
    return abs(held - 2 * config.decoder_layers * sentences * config.d_model * positions)


def beam_of_one_is_greedy(model: Transformer, batch: Batch) -> float:
    """Return the share of sentences for which both write the same."""
    sources = (batch.source, batch.source_mask)
    one = beam_search(model, *sources, beam=1, max_length=ROOM, length_penalty=0)
    other = greedy(model, *sources, max_length=ROOM)
    rows = zip(one.best().to_lists(), other.to_lists(), strict=True)
    return statistics.fmean(by_beam == by_greedy for by_beam, by_greedy in rows)


def prefix_digits(model: Transformer, pairs: list[Pair], generator: torch.Generator) -> float:
    """Write on from prefixes of different lengths, in one batch and one by one; compare logits."""
    device = next(model.parameters()).device
    prefixes = [_tokens(generator, TARGET_TYPES, length) for length in PREFIXES]
    together = written_on(model, make_batch(pairs).to(device), prefixes)
    found = []
    for row, pair, prefix in zip(together, pairs, prefixes, strict=True):
        alone = written_on(model, make_batch([pair]).to(device), [prefix])
        found.append(agreeing_digits(row, alone[0]))
    return min(found)


def written_on(model: Transformer, batch: Batch, prefixes: list[list[int]]) -> Tensor:
    """Write `WRITTEN` tokens from caches, each row its prefix first, then greedily.

    A row with a short prefix writes tokens of its own while longer prefixes are still read, so
    that all rows stand at the same position. What stands behind an EOS counts, too.

    Returns:
        The logits of every position, [batch, position, vocabulary].
    """
    state, steps = model.start(batch.source, batch.source_mask), []
    token = torch.full_like(batch.source[:, 0], BOS)
    for place in range(WRITTEN):
        logits, state, _ = model.step(token, state)
        steps.append(logits)
        token = logits.argmax(dim=-1)
        for row, prefix in enumerate(prefixes):
            if place < len(prefix):
                token[row] = prefix[place]
    return torch.stack(steps, dim=1)


def exhaustive(models: list[Transformer], pairs: list[Pair]) -> dict[str, Any]:
    """Compare beam searches with the best of all sequences of at most `SEARCHED` tokens with EOS.

    ``share``: share of searches as wide as the space (`SPACE`) that find it, over models, sources
    and length penalties. ``score_digits``: decimals on which its score agrees. ``narrower``: share
    of the searches that find it, by width. ``sequences``, ``searches``: how many there were.
    """
    found: dict[int, list[bool]] = {width: [] for width in (*NARROWER, SPACE)}
    digits = []
    for model, alpha in itertools.product(models, ALPHAS):
        batch = make_batch(pairs).to(next(model.parameters()).device)
        best = [best_of_all(model, batch, row, alpha) for row in range(len(pairs))]
        for width in found:
            searched = beam_search(
                model,
                batch.source,
                batch.source_mask,
                beam=width,
                max_length=SEARCHED,
                length_penalty=alpha,
            )
            rows = zip(searched.to_lists(), searched.ended[:, 0].tolist(), best, strict=True)
            found[width] += [ended and row[0] == right.tokens for row, ended, right in rows]
            if width == SPACE:
                scores = torch.tensor([right.score for right in best], dtype=torch.float64)
                digits.append(agreeing_digits(searched.scores[:, 0].cpu(), scores))
    shares = {width: statistics.fmean(hits) for width, hits in found.items()}
    return {
        "share": shares.pop(SPACE),
        "score_digits": min(digits),
        "narrower": shares,
        "sequences": sum((TARGET_TYPES - 1) ** length for length in range(SEARCHED)),
        "searches": len(found[SPACE]),
    }


def best_of_all(model: Transformer, batch: Batch, row: int, alpha: float) -> Best:
    """Score every sequence that ends in time, each by a pass over the whole of it."""
    words = [token for token in range(TARGET_TYPES) if token != EOS]
    found = []
    for length in range(SEARCHED):
        targets = torch.tensor(
            list(itertools.product(words, repeat=length)), device=batch.source.device
        ).long()
        scores = _log_probabilities(model, batch, row, targets) / gnmt_penalty(length + 1, alpha)
        place = int(scores.argmax())
        found.append(Best(targets[place].tolist(), scores[place].item()))
    return max(found, key=lambda best: best.score)


def _log_probabilities(model: Transformer, batch: Batch, row: int, targets: Tensor) -> Tensor:
    """Return log P of targets [sequence, length] given one source, EOS included."""
    count = len(targets)
    begin, end = (targets.new_full((count, 1), token) for token in (BOS, EOS))
    said = torch.cat([targets, end], dim=1)
    read = Batch(
        source=batch.source[row].expand(count, -1),
        source_mask=batch.source_mask[row].expand(count, -1),
        target_in=torch.cat([begin, targets], dim=1),
        target_out=said,
        target_mask=torch.ones_like(said, dtype=torch.bool),
    )
    logs = model(read).logits.log_softmax(dim=-1)
    return logs.gather(-1, said[..., None])[..., 0].sum(dim=1)


def _random_pair(generator: torch.Generator, source: int, target: int) -> Pair:
    return _tokens(generator, SOURCE_TYPES, source), _tokens(generator, TARGET_TYPES, target)


def _tokens(generator: torch.Generator, types: int, length: int) -> list[int]:
    return torch.randint(UNK, types, (length,), generator=generator).tolist()
