"""Chapter 11: the readings. Each asks a patient one question and gives one number.

They see what a reader sees: curves, log-probabilities, weights and decoded sentences.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from torch import Tensor

from bottomup.data import EOS, make_batch
from bottomup.data.batching import Pair
from bottomup.experiments.clinic.config import Config
from bottomup.experiments.clinic.patient import Patient
from bottomup.experiments.clinic.task import FRESH, draw

LAST = 25  # steps
FEW = 48  # sentences that are decoded one by one
CLOSE = 1e-2  # nats between a beam's log-probability and its recount


@dataclass(frozen=True)
class Fresh:
    """Sentences that no patient has seen: a short one, a long one, and many."""

    short: Pair
    long: Pair
    many: tuple[Pair, ...]


@cache
def fresh(config: Config) -> Fresh:
    """Return the same sentences for every patient."""
    many = draw(config, config.sentences, 0, FRESH)
    of_length = {len(source): (source, target) for source, target in many}
    return Fresh(of_length[config.shortest + 1], of_length[config.longest], tuple(many))


def loss_at_the_start(patient: Patient) -> float:
    """Return the loss of the first step, in nats."""
    return patient.chart.loss[0]


def weight_at_the_start(patient: Patient) -> float:
    """Return the largest weight of a source position before training, mean over positions."""
    return patient.chart.first_weight


def loss_at_the_end(patient: Patient) -> float:
    """Return the mean loss of the last steps, in nats."""
    return sum(patient.chart.loss[-LAST:]) / LAST


def peak_of_the_rate(patient: Patient) -> float:
    """Return the share of the training after which the learning rate is largest."""
    rate = patient.chart.rate
    return rate.index(max(rate)) / len(rate)


def reported_over_recounted(patient: Patient) -> float:
    """Return the reported loss of the test sentences as a share of their loss, counted again."""
    return patient.reported / loss(patient, patient.test_sentences)


def fresh_less_test(patient: Patient) -> float:
    """Return the mean loss of fresh sentences less that of the test sentences."""
    return loss(patient, fresh(patient.config).many) - loss(patient, patient.test_sentences)


def training_less_evaluation(patient: Patient) -> float:
    """Return the loss of training sentences in training mode less that in evaluation mode."""
    known = patient.training_sentences
    return loss(patient, known, training=True) - loss(patient, known)


def asked_twice(patient: Patient) -> float:
    """Return by how much a log-probability differs from one asking to the next, at most."""
    pair = fresh(patient.config).long
    one, other = (patient.log_probabilities([pair]) for _time in range(2))
    return largest(one - other)


def alone_less_in_a_batch(patient: Patient) -> float:
    """Return by how much a longer neighbour in the batch moves a log-probability, at most."""
    sentences = fresh(patient.config)
    alone = patient.log_probabilities([sentences.short])[0]
    beside = patient.log_probabilities([sentences.short, sentences.long])[0, : len(alone)]
    return largest(alone - beside)


def own_token_changed(patient: Patient) -> float:
    """Return by how much a prediction moves with the very token that it should predict."""
    changes, place = _after_change(patient)
    return float(changes[place])


def later_token_changed(patient: Patient) -> float:
    """Return by how much a prediction moves with a target token still further on, at most."""
    changes, place = _after_change(patient)
    return float(changes[:place].max())


def source_swapped(patient: Patient) -> float:
    """Return by how much a log-probability moves when two source words are swapped, at most."""
    source, target = fresh(patient.config).long
    swapped = [source[-1], *source[1:-1], source[0]]
    one, other = (patient.log_probabilities([(words, target)]) for words in (source, swapped))
    return largest(one - other)


def right_in_a_batch(patient: Patient) -> float:
    """Return the share of sentences decoded rightly, all in one batch."""
    many = fresh(patient.config).many
    return _exact(patient.greedy([source for source, _target in many]), many)


def forced_less_greedy(patient: Patient) -> float:
    """Return the share of right tokens where the true target is read, less that in decoding."""
    many = fresh(patient.config).many
    said = patient.log_probabilities(many).argmax(dim=-1).tolist()
    written = patient.greedy([source for source, _target in many])
    tokens = sum(len(target) for _source, target in many)
    return (_right(said, many) - _right(written, many)) / tokens


def greedy_alone_less_in_a_batch(patient: Patient) -> float:
    """Return the share of sentences decoded rightly one by one, less that in one batch."""
    few = fresh(patient.config).many[:FEW]
    sources = [source for source, _target in few]
    alone = [patient.greedy([source])[0] for source in sources]
    return _exact(alone, few) - _exact(patient.greedy(sources), few)


def row_sums(patient: Patient) -> float:
    """Return the smallest sum of a query's weights."""
    return min(float(w.sum(-1)[real].min()) for w, real in _weights(patient))


def weight_on_padding(patient: Patient) -> float:
    """Return the largest weight that a target position gives to the source's padding."""
    padding = ~make_batch(fresh(patient.config).many).source_mask
    _encoder, _decoder, (cross, real) = _weights(patient)
    return float((cross * padding[:, None, None]).sum(-1)[real].max())


def weight_on_the_future(patient: Patient) -> float:
    """Return the largest weight that a target position gives to those behind it."""
    _encoder, (own, real), _cross = _weights(patient)
    return float(own.triu(1).sum(-1)[real].max())


def beam_recounted(patient: Patient) -> float:
    """Return the share of a beam's results whose log-probability a recount does not confirm."""
    wrong = []
    for source, _target in fresh(patient.config).many[: patient.config.beams]:
        for tokens, claimed in patient.beam(source):
            if all(token > EOS for token in tokens):
                counted = log_probability(patient, (source, tokens))
                wrong.append(abs(counted - claimed) > CLOSE)
    return sum(wrong) / max(1, len(wrong))


def loss(patient: Patient, pairs: Sequence[Pair], *, training: bool = False) -> float:
    """Return the mean loss of a real token, counted from the patient's log-probabilities."""
    batch = make_batch(pairs)
    log_p = patient.log_probabilities(pairs, training=training)
    chosen = log_p.gather(2, batch.target_out[..., None])[..., 0]  # [pair, place]
    return -float(chosen[batch.target_mask].mean())


def log_probability(patient: Patient, pair: Pair) -> float:
    """Return the log-probability of a whole target, its end included."""
    log_p, tokens = patient.log_probabilities([pair])[0], [*pair[1], EOS]
    return float(log_p[range(len(tokens)), tokens].sum())


def largest(change: Tensor) -> float:
    """Return the largest change, whatever its sign."""
    return float(change.abs().max())


def _after_change(patient: Patient) -> tuple[Tensor, int]:
    """Return how far each prediction moves when one target token is changed, and its place."""
    source, target = fresh(patient.config).long
    place = len(target) // 2
    changed = list(target)
    changed[place] = next(symbol for symbol in source if symbol != target[place])
    one, other = (patient.log_probabilities([(source, words)])[0] for words in (target, changed))
    return (one - other).abs().amax(dim=-1), place


def _weights(patient: Patient) -> tuple[tuple[Tensor, Tensor], ...]:
    """Return weights and real queries, [batch, head, query], of the three attentions."""
    many = fresh(patient.config).many
    batch, weights = make_batch(many), patient.weights(many)
    masks = batch.source_mask, batch.target_mask, batch.target_mask
    layers = weights.encoder[0], weights.decoder[0], weights.cross[0]
    return tuple(
        (w, mask[:, None].expand(w.shape[:3])) for w, mask in zip(layers, masks, strict=True)
    )


def _right(found: Sequence[list[int]], pairs: Sequence[Pair]) -> int:
    """Count the tokens that stand in their place."""
    each = zip(found, (target for _source, target in pairs), strict=True)
    return sum(a == b for row, target in each for a, b in zip(row, target, strict=False))


def _exact(found: Sequence[list[int]], pairs: Sequence[Pair]) -> float:
    """Return the share of targets found whole."""
    return sum(row == pair[1] for row, pair in zip(found, pairs, strict=True)) / len(pairs)
