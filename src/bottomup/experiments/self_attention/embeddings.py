"""Chapter 02: the word vectors of chapter 01's encoder, before and after training."""

from itertools import combinations
from statistics import fmean

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.data import SPECIAL_TOKENS, BatchStream
from bottomup.data.minilang import word_class
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.self_attention.config import Config
from bottomup.experiments.shared.recurrent import train, untrained
from bottomup.experiments.shared.translation import load_data
from bottomup.models import Seq2SeqConfig

TRAINING_SEEDS = 100
KEPT_SEED = 0  # the vectors of this seed are kept for pictures
# As in chapter 01.
TOKENS_PER_BATCH, D_EMBEDDING, D_STATE = 1024, 64, 128
ANTONYMS = (
    ("big", "small"), ("old", "young"), ("expensive", "cheap"), ("happy", "sad"),
    ("long", "short"), ("hot", "cold"), ("fast", "slow"), ("easy", "difficult"),
    ("black", "white"), ("good", "bad"), ("old", "new"), ("interesting", "boring"),
    ("quiet", "noisy"), ("opened", "closed"), ("bought", "sold"), ("came", "went"),
)  # fmt: skip


def measure_embeddings(config: Config, trial: Trial) -> Outcome:
    """Train chapter 01's translator; measure its English vectors as it starts and as it ends.

    ``change`` is what training added: most of a vector after so few steps is still its start.
    """
    data = load_data(config.corpus_size, 0)
    translator = Seq2SeqConfig(
        source_vocabulary=len(data.source_words),
        target_vocabulary=len(data.target_tokens),
        attention="bahdanau",
        d_embedding=D_EMBEDDING,
        d_state=D_STATE,
    )
    stream = BatchStream(
        data.train, tokens_per_batch=TOKENS_PER_BATCH, seed=TRAINING_SEEDS + trial.seed
    )
    trained, _history = train(
        translator,
        stream,
        config,
        trial,
        steps=config.embedding_steps,
    )
    models = {"before": untrained(translator, trial.seed), "after": trained}
    vectors = {
        name: model.encoder.embedding.weight.detach().cpu() for name, model in models.items()
    }
    words = list(data.source_words.tokens)
    tables = vectors | {"change": vectors["after"] - vectors["before"]}
    metrics = {name: geometry(table, words) for name, table in tables.items()}
    if trial.seed != KEPT_SEED:
        return Outcome(metrics)
    return Outcome(metrics, {name: _kept(table) for name, table in vectors.items()})


def geometry(table: Tensor, words: list[str]) -> dict[str, float]:
    """Measure a table of word vectors [vocabulary, d_embedding].

    ``antonyms``: mean cosine of the antonym pairs; ``antonyms_negative``: share of them whose dot
    product is negative; ``same_class``: mean cosine of all pairs of adjectives and of verbs, the
    classes that the antonyms come from; ``same_words``: of those of them whose words both stand in
    the list of antonyms, without being antonyms of each other; ``neighbours_differ``: share of
    words whose nearest word by dot product is another than by cosine; ``neighbour_class``: share
    whose nearest word by cosine has their word class.
    """
    place = {word: number for number, word in enumerate(words)}
    unit = F.normalize(table, dim=-1)
    cosine, dots = unit @ unit.T, table @ table.T
    pairs = [(place[a], place[b]) for a, b in ANTONYMS if a in place and b in place]
    classes = [word_class(word) for word in words[len(SPECIAL_TOKENS) :]]
    kinds: dict[str, list[int]] = {"adjective": [], "verb": []}
    for number, kind in enumerate(classes, len(SPECIAL_TOKENS)):
        kinds.setdefault(kind, []).append(number)
    listed = {number for pair in pairs for number in pair}
    alike = [*combinations(kinds["adjective"], 2), *combinations(kinds["verb"], 2)]
    by_cosine, by_dot = (_nearest(matrix) for matrix in (cosine, dots))
    return {
        "antonyms": fmean(cosine[a, b].item() for a, b in pairs),
        "antonyms_negative": fmean(float(dots[a, b] < 0) for a, b in pairs),
        "same_words": fmean(
            cosine[a, b].item()
            for a, b in alike
            if a in listed and b in listed and (a, b) not in pairs and (b, a) not in pairs
        ),
        "same_class": cosine[tuple(torch.tensor(alike).T)].mean().item(),
        "neighbours_differ": (by_cosine != by_dot).cpu().double().mean().item(),
        "neighbour_class": fmean(
            float(classes[number] == classes[other])
            for number, other in enumerate(by_cosine.tolist())
        ),
    }


def _nearest(similarity: Tensor) -> Tensor:
    """Return the most similar other word of each word, special tokens apart."""
    words = similarity[len(SPECIAL_TOKENS) :, len(SPECIAL_TOKENS) :].clone()
    return words.fill_diagonal_(-torch.inf).argmax(dim=-1)


def _kept(table: Tensor) -> np.ndarray:
    return table.numpy().astype(np.float16)
