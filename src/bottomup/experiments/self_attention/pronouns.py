"""Chapter 02: one or two layers of self-attention name the noun that a pronoun stands for.

The label is the noun itself, a word of the vocabulary. Which position holds it, the layers are not
told. What they read from the pronoun is then held against the position of the antecedent.
"""

from collections import defaultdict
from collections.abc import Sequence
from copy import deepcopy

import torch

from bottomup.data import (
    Labelled,
    LabelledBatch,
    LabelledStream,
    Vocabulary,
    make_labelled_batch,
    minilang,
)
from bottomup.data.minilang import SentencePair, word_class
from bottomup.experiments.engine.units import Trial
from bottomup.experiments.self_attention.config import Config
from bottomup.experiments.self_attention.order import label_cross_entropy
from bottomup.experiments.shared.training import Pace, fit_adam, seeded
from bottomup.models import AttentionOnly, AttentionOnlyConfig
from bottomup.training.device import for_float64

TRAINING_SEEDS = 100


def measure_reader(config: Config, layers: int, steps: int, trial: Trial) -> dict[str, float]:
    """Train `layers` layers under one seed; measure the words named and the positions read."""
    corpus = minilang.load(config.corpus_size, seed=0)
    words = Vocabulary.build(pair.source for pair in corpus.train)
    model = train_to_name(
        AttentionOnlyConfig(
            vocabulary=len(words), outputs=len(words), d_model=config.d_model, num_layers=layers
        ),
        label_antecedents(with_pronoun(corpus.train), words),
        config,
        trial,
        batch_size=config.batch_size,
        steps=steps,
    )
    device = for_float64(trial.device)  # weights are read in float64
    model = model.to(device)
    held_out = with_pronoun([*corpus.validation, *corpus.test])
    everywhere = with_pronoun([pair for part in corpus for pair in part])
    return {
        "sentences": len(held_out),
        **_reading(model, held_out, words, device),
        **_naming(model, held_out, stands_for(with_pronoun(corpus.train)), words, device),
        "swing": _swing(model, minimal_pairs(everywhere), words, device),
    }


def train_to_name(
    network: AttentionOnlyConfig,
    examples: Sequence[Labelled],
    pace: Pace,
    trial: Trial,
    *,
    batch_size: int,
    steps: int,
) -> AttentionOnly:
    """Make a network and train it to name the noun of each labelled pronoun."""
    with seeded(trial.seed):
        model = AttentionOnly(network).to(trial.device)
    stream = LabelledStream(examples, batch_size=batch_size, seed=TRAINING_SEEDS + trial.seed)
    fit_adam(model, stream, label_cross_entropy, pace, trial, steps=steps)
    return model


def with_pronoun(pairs: Sequence[SentencePair]) -> list[SentencePair]:
    """Return the pairs in whose source a pronoun stands for a noun of the sentence."""
    return [pair for pair in pairs if pair.antecedents]


def label_antecedents(pairs: Sequence[SentencePair], words: Vocabulary) -> list[Labelled]:
    """Label each pronoun with the number of its noun."""
    labelled: list[Labelled] = []
    for pair in pairs:
        tokens = words.encode(pair.source)
        labelled.append((tokens, {pronoun: tokens[noun] for pronoun, noun in pair.antecedents}))
    return labelled


def minimal_pairs(pairs: Sequence[SentencePair]) -> list[tuple[SentencePair, SentencePair]]:
    """Return sentences alike up to their pronoun, which stands for another noun in each.

    "the cat ate the meat because it was hungry" and "... fresh".
    """
    groups: dict[tuple[str, ...], dict[int, SentencePair]] = defaultdict(dict)
    for pair in pairs:
        pronoun, noun = pair.antecedents[0]
        groups[pair.source[: pronoun + 1]].setdefault(noun, pair)
    alike = [tuple(group.values()) for group in groups.values() if len(group) > 1]
    return [(group[0], group[1]) for group in alike]


def _batch(pairs: Sequence[SentencePair], words: Vocabulary, device: torch.device) -> LabelledBatch:
    return make_labelled_batch(label_antecedents(pairs, words)).to(device)


def stands_for(pairs: Sequence[SentencePair]) -> set[tuple[str, str]]:
    """Return every pronoun with every noun that it stands for somewhere in the pairs."""
    return {
        (pair.source[pronoun], pair.source[noun])
        for pair in pairs
        for pronoun, noun in pair.antecedents
    }


def candidates(pair: SentencePair, known: set[tuple[str, str]]) -> list[int]:
    """Return the positions of the nouns that the pair's first pronoun could stand for."""
    pronoun = pair.source[pair.antecedents[0][0]]
    return [i for i, word in enumerate(pair.source) if (pronoun, word) in known]


def _naming(
    model: AttentionOnly,
    pairs: Sequence[SentencePair],
    known: set[tuple[str, str]],
    words: Vocabulary,
    device: torch.device,
) -> dict[str, float]:
    """Measure the words named.

    ``accuracy``: share of pronouns whose noun is named; ``accuracy_one`` and ``accuracy_several``:
    of those with one candidate in their sentence, and with several; ``first_candidate``: what one
    scores who always names the first candidate.
    """
    batch, rows, pronouns, nouns = _places(pairs, words, device)
    with torch.no_grad():
        logits = model(batch.source, batch.source_mask[:, None]).logits
    right = logits[rows, pronouns].argmax(dim=-1) == batch.source[rows, nouns]
    found = [candidates(pair, known) for pair in pairs]
    several = torch.tensor([len(each) > 1 for each in found], device=device)
    first = [
        bool(each) and each[0] == pair.antecedents[0][1]
        for pair, each in zip(pairs, found, strict=True)
    ]
    return {
        "accuracy": _share(right),
        "accuracy_one": _share(right[~several]),
        "accuracy_several": _share(right[several]),
        "first_candidate": sum(first) / len(first),
    }


def _reading(
    model: AttentionOnly, pairs: Sequence[SentencePair], words: Vocabulary, device: torch.device
) -> dict[str, float]:
    """Measure what the last layer reads from each pair's first pronoun.

    ``weight``: at the antecedent; ``chance``: of each word in an even reading; ``excess``: what
    `weight` is above it. ``noun_weight``: at all nouns together. Where there are several nouns,
    ``noun_share``: what part of all weight on nouns is the antecedents', ``noun_share_even``: what
    part it would be if each sentence's were spread evenly over its nouns.
    """
    batch, rows, pronouns, nouns = _places(pairs, words, device)
    with torch.no_grad():
        output = model(batch.source, batch.source_mask[:, None])
    read = output.weights[-1][rows, pronouns].double()  # [pair, key]
    is_noun = torch.zeros_like(batch.source_mask)
    for row, pair in enumerate(pairs):
        for place, word in enumerate(pair.source):
            is_noun[row, place] = word_class(word) == "noun"
    on_nouns, counts = (read * is_noun).sum(dim=-1), is_noun.sum(dim=-1)
    several = counts > 1
    weight = read[rows, nouns].mean().item()
    chance = sum(1 / len(pair.source) for pair in pairs) / len(pairs)
    return {
        "weight": weight,
        "chance": chance,
        "excess": weight - chance,
        "noun_weight": on_nouns.mean().item(),
        "noun_share": (read[rows, nouns][several].sum() / on_nouns[several].sum()).item(),
        "noun_share_even": ((on_nouns / counts)[several].sum() / on_nouns[several].sum()).item(),
    }


def _places(
    pairs: Sequence[SentencePair], words: Vocabulary, device: torch.device
) -> tuple[LabelledBatch, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the batch, the number of each row, and where pronoun and antecedent stand in it."""
    pronouns, nouns = (
        torch.tensor([pair.antecedents[0][place] for pair in pairs], device=device)
        for place in (0, 1)
    )
    rows = torch.arange(len(pairs), device=device)
    return _batch(pairs, words, device), rows, pronouns, nouns


def _share(right: torch.Tensor) -> float:
    return right.cpu().double().mean().item() if len(right) else 0.0


def _swing(
    model: AttentionOnly,
    alike: Sequence[tuple[SentencePair, SentencePair]],
    words: Vocabulary,
    device: torch.device,
) -> float:
    """How far the last layer's preference between two nouns moves when the reason changes.

    Mean over minimal pairs of the change, in nats, of ``log(weight of one / weight of the other)``.
    """
    model = deepcopy(model).double()  # so that no weight is rounded to zero
    changes = []
    for one, other in alike:
        nouns = [pair.antecedents[0][1] for pair in (one, other)]
        preferences = []
        for pair in (one, other):
            with torch.no_grad():
                batch = _batch([pair], words, device)
                read = model(batch.source).weights[-1][0, pair.antecedents[0][0]]
            # A weight may be too small even for float64.
            preferences.append(read[nouns].clamp(min=1e-300).log().diff().item())
        changes.append(abs(preferences[0] - preferences[1]))
    return sum(changes) / len(changes) if changes else 0.0
