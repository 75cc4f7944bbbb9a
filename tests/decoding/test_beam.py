"""Beam search: values by hand, the exhaustive best, greedy, when it stops, bad input."""

import math

import pytest
import torch
from torch import nn

from bottomup.data import BOS, EOS, PAD, UNK
from bottomup.decoding import beam_search, gnmt_penalty, greedy
from tests.decoding.markov import Markov, exhaustive, plain_beam, random_table, source_of

A, B = UNK, 4
NEVER = -math.inf
SOURCE, MASK = source_of([5, 6], [7])


def log(*probabilities: float) -> list[float]:
    return [math.log(p) if p else NEVER for p in probabilities]


# After BOS, A is likelier than B; but B is followed by the end, and A by many things.
#                    PAD  BOS   EOS    A     B
TRAP = torch.tensor(
    [
        log(0.0, 0.0, 1.0, 0.0, 0.0),
        log(0.0, 0.0, 0.1, 0.5, 0.4),  # after BOS
        log(0.0, 0.0, 1.0, 0.0, 0.0),
        log(0.0, 0.0, 0.4, 0.3, 0.3),  # after A
        log(0.0, 0.0, 0.9, 0.1, 0.0),  # after B
    ],
    dtype=torch.float64,
)
ONE = source_of([5])


def search(model, source=ONE, **options):
    return beam_search(model, *source, **{"max_length": 4, "length_penalty": 0, **options})


# ---- By hand


def test_greedy_is_trapped_and_a_beam_of_two_is_not():
    model = Markov(TRAP)
    assert greedy(model, *ONE, max_length=4).to_lists() == [[A]]
    decoded = search(model, beam=2)
    assert decoded.to_lists() == [[[B]]]
    assert decoded.log_probabilities.exp().item() == pytest.approx(0.4 * 0.9)


def test_the_list_of_the_best_by_hand():
    decoded = search(Markov(TRAP), beam=5, n_best=4)
    # [A, B] comes before the empty sequence: 0.5 * 0.3 * 0.9 against 0.1
    assert decoded.to_lists() == [[[B], [A], [A, B], []]]
    expected = torch.tensor([[0.4 * 0.9, 0.5 * 0.4, 0.5 * 0.3 * 0.9, 0.1]]).double()
    torch.testing.assert_close(decoded.log_probabilities.exp(), expected)
    assert torch.equal(decoded.scores, decoded.log_probabilities)
    assert decoded.lengths.tolist() == [[1, 1, 2, 0]]
    assert decoded.tokens.tolist() == [[[B, PAD], [A, PAD], [A, B], [PAD, PAD]]]
    assert decoded.ended.all()


def test_scores_are_log_probabilities_over_the_penalty_with_eos_counted():
    decoded = search(Markov(TRAP), beam=5, n_best=4, length_penalty=0.6)
    for tokens, total, score in zip(
        decoded.to_lists()[0], decoded.log_probabilities[0], decoded.scores[0], strict=True
    ):
        assert score.item() == pytest.approx(total.item() / ((5 + len(tokens) + 1) / 6) ** 0.6)


def test_the_penalty_favours_the_longer_of_two_and_does_not_punish_it():
    #                    PAD   BOS  EOS   A    B
    rows = [log(0.0, 0.0, 1.0, 0.0, 0.0)] * 5
    rows[BOS] = log(0.0, 0.0, 0.32, 0.68, 0.0)
    rows[A] = log(0.0, 0.0, 0.0, 0.0, 1.0)  # A is always followed by B,
    rows[B] = log(0.0, 0.0, 0.46, 0.54, 0.0)
    model = Markov(torch.tensor(rows, dtype=torch.float64))
    # P([]) = 0.32 and P([A, B]) = 0.3128: -1.1394 against -1.1622
    assert search(model, beam=3).to_lists() == [[[]]]
    # with alpha 0.6 and n = 3: -1.1622 / (8 / 6) ** 0.6 = -0.9779
    decoded = search(model, beam=3, length_penalty=0.6)
    assert decoded.to_lists() == [[[A, B]]]
    assert decoded.scores.item() == pytest.approx(-0.97794, abs=1e-4)


def test_a_sequence_that_is_cut_off_stands_behind_those_that_ended():
    decoded = search(Markov(TRAP), beam=2, n_best=2, max_length=1)
    assert decoded.to_lists() == [[[A], [B]]]  # EOS is third: not among the best two
    assert decoded.ended.tolist() == [[False, False]]
    decoded = search(Markov(TRAP), beam=3, n_best=3, max_length=1)
    assert decoded.to_lists() == [[[], [A], [B]]]
    assert decoded.ended.tolist() == [[True, False, False]]
    assert decoded.log_probabilities.exp().tolist() == [pytest.approx([0.1, 0.5, 0.4])]


def test_sequences_that_end_at_once_are_empty():
    rows = [log(0.0, 0.0, 1.0, 0.0, 0.0)] * 5
    model = Markov(torch.tensor(rows))
    decoded = search(model, (SOURCE, MASK), beam=3, n_best=2)
    assert decoded.to_lists() == [[[]], [[]]]  # there is no second one
    assert len(model.prefixes) == 1
    assert decoded.tokens.shape == (2, 2, 0)
    assert decoded.scores.tolist() == [[0.0, -math.inf]] * 2
    assert decoded.best().tokens.shape == (2, 0)


def test_bos_and_pad_before_eos_stay_in_the_sequence():
    rows = torch.full((5, 5), NEVER)
    for last, token in [(BOS, A), (A, PAD), (PAD, B), (B, EOS)]:
        rows[last, token] = 0.0
    assert search(Markov(rows), beam=2).to_lists() == [[[A, PAD, B]]]


# ---- Against other searches


@pytest.mark.parametrize("alpha", [0, 0.6, 1.5])
@pytest.mark.parametrize("seed", range(3))
def test_a_beam_as_wide_as_the_space_finds_the_exhaustive_best(seed, alpha):
    model, steps = Markov(random_table(5, seed), varied=True), 4
    widest = 5 * 4 ** (steps - 1)  # continuations in the last step
    decoded = search(model, beam=widest, max_length=steps, length_penalty=alpha, n_best=7)
    expected = exhaustive(model, [5], steps, alpha)[:7]
    assert decoded.to_lists()[0] == [tokens for _, tokens in expected]
    assert decoded.scores[0].tolist() == pytest.approx([score for score, _ in expected])


def test_a_narrow_beam_may_miss_it():
    missed = 0
    for seed in range(20):
        model = Markov(random_table(5, seed))
        best = exhaustive(model, [5], 4, 0.6)[0][0]
        found = search(model, beam=1, length_penalty=0.6)
        assert not found.ended.item() or found.scores.item() <= best + 1e-12
        missed += found.scores.item() < best - 1e-9
    assert 0 < missed < 20


@pytest.mark.parametrize("seed", range(10))
def test_a_beam_of_one_without_penalty_is_greedy(seed):
    model, source = Markov(random_table(7, seed), varied=True), source_of([5, 6], [4], [4, 4, 5])
    expected = greedy(model, *source, max_length=6)
    decoded = beam_search(model, *source, beam=1, max_length=6, length_penalty=0)
    assert decoded.best().to_lists() == expected.to_lists()
    assert torch.equal(decoded.best().tokens, expected.tokens)
    assert torch.equal(decoded.best().lengths, expected.lengths)


@pytest.mark.parametrize("alpha", [0, 0.6, 2])
@pytest.mark.parametrize("beam", [1, 2, 3, 7])
def test_stopping_early_changes_nothing(beam, alpha):
    for seed in range(8):
        model, steps = Markov(random_table(6, seed), varied=True), 6
        decoded = search(model, beam=beam, max_length=steps, length_penalty=alpha, n_best=beam)
        expected = plain_beam(model, [5], beam=beam, steps=steps, alpha=alpha)[:beam]
        assert decoded.to_lists()[0] == [tokens for _, tokens in expected]
        assert decoded.scores[0].tolist() == pytest.approx([score for score, _ in expected])


def test_a_batch_is_its_sources_one_by_one():
    rows = [[5, 6, 7], [6], [5, 5], [9, 9, 9, 9]]
    model = Markov(random_table(7, 11, scale=1.0), varied=True)
    options = {"beam": 3, "n_best": 3, "max_length": 7, "length_penalty": 0.6}
    together = search(model, source_of(*rows), **options)
    alone = [search(model, source_of(row), **options) for row in rows]
    assert together.to_lists() == [decoded.to_lists()[0] for decoded in alone]
    assert torch.equal(together.scores, torch.cat([decoded.scores for decoded in alone]))
    assert torch.equal(together.ended, torch.cat([decoded.ended for decoded in alone]))
    assert len({str(row) for row in together.to_lists()}) == 4  # the sources do differ


# ---- What the model sees


def test_it_stops_as_soon_as_nothing_can_get_better():
    model = Markov(TRAP)
    search(model, beam=2, max_length=40)
    # [B] has 0.36 after the second step, every prefix at most 0.15
    assert len(model.prefixes) == 2


def test_with_a_penalty_it_goes_on_until_the_bound_is_met():
    model = Markov(TRAP)
    search(model, beam=2, max_length=40, length_penalty=1)
    scores = search(model, beam=2, max_length=40, length_penalty=1, trace=True)
    bound = [
        step.log_probability[step.continued].max().item() / gnmt_penalty(40, 1)
        for step in scores.steps
    ]
    assert bound[-1] <= scores.scores.item() < bound[-2]
    assert len(scores.steps) > 2


def test_finished_sequences_and_decided_sources_are_not_continued():
    model = Markov(random_table(6, 5), varied=True)
    rows = source_of([4], [5], [4, 5], [5, 5, 5])
    decoded = search(model, rows, beam=3, n_best=2, max_length=9, trace=True)
    sizes = [len(read) for read in model.prefixes]
    assert not any(EOS in row for read in model.prefixes for row in read)
    assert sizes[0] == 4  # one prefix a source, then three
    assert sizes[1:] == [3 * len(step.source) for step in decoded.steps[1:]]
    assert sizes[-1] < 12


def test_every_prefix_is_read_as_it_was_written():
    model = Markov(random_table(6, 7, scale=0.5), varied=True)
    decoded = search(model, source_of([4], [5, 5]), beam=4, max_length=6, trace=True)
    assert {parent for step in decoded.steps[1:] for parent in step.parent.unique().tolist()} > {0}
    before = {0: [[BOS]], 1: [[BOS]]}
    for step, read in zip(decoded.steps, model.prefixes, strict=True):
        expected = [prefix for source in step.source.tolist() for prefix in before[source]]
        assert read == expected
        for row, source in enumerate(step.source.tolist()):
            places = step.continued[row].nonzero().flatten().tolist()
            before[source] = [
                [*before[source][step.parent[row, place]], step.token[row, place].item()]
                for place in places
            ]


def test_the_trace_contains_the_result():
    decoded = search(Markov(TRAP), beam=2, max_length=4, length_penalty=0.6, trace=True)
    first, second = decoded.steps[:2]
    assert first.token.tolist() == [[A, B, EOS]]
    assert first.continued.tolist() == [[True, True, False]]
    assert not first.ended.any()
    assert second.ended[0, 0]
    assert (second.parent[0, 0].item(), second.token[0, 0].item()) == (1, EOS)  # B, then the end
    assert second.score[0, 0] == decoded.scores[0, 0]
    assert search(Markov(TRAP), beam=2).steps is None


def test_decoding_runs_in_evaluation_mode_without_gradients_and_restores_the_mode():
    seen = set()

    class Watched(Markov):
        def step(self, token, state):
            seen.add((self.training, torch.is_grad_enabled()))
            return super().step(token, state)

    model = Watched(TRAP).train()
    search(model, beam=2)
    assert seen == {(False, False)}
    assert model.training


# ---- Bad input


@pytest.mark.parametrize("value", [math.nan, math.inf, NEVER])
def test_a_model_that_gives_no_probabilities_is_refused(value):
    table = TRAP.clone()
    table[B] = value
    with pytest.raises(FloatingPointError, match=r"model: .* got others in sequences \[0, 1\]"):
        search(Markov(table), (SOURCE, MASK), beam=2)


def test_what_it_gives_to_impossible_prefixes_does_no_harm():
    table = TRAP.clone()
    table[PAD] = math.nan  # PAD is never possible, but fills a beam of five
    expected = search(Markov(TRAP), beam=5, n_best=4)
    decoded = search(Markov(table), beam=5, n_best=4)
    assert decoded.to_lists() == expected.to_lists()
    assert torch.equal(decoded.scores, expected.scores)


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"beam": 0}, ValueError, "beam: expected an integer of at least 1, got 0"),
        ({"beam": 2.0}, TypeError, "beam: expected an integer, got 2.0"),
        ({"beam": True}, TypeError, "beam: expected an integer, got True"),
        ({"n_best": 0}, ValueError, "n_best: expected an integer of at least 1, got 0"),
        ({"n_best": 3}, ValueError, "n_best: expected at most beam=2, got 3"),
        ({"max_length": 0}, ValueError, "max_length: expected an integer of at least 1"),
        ({"length_penalty": -0.1}, ValueError, "length_penalty: expected a number >= 0"),
        ({"length_penalty": math.inf}, ValueError, "length_penalty: expected .* < inf, got inf"),
        ({"length_penalty": math.nan}, ValueError, "length_penalty: expected .*, got nan"),
        ({"length_penalty": None}, TypeError, "length_penalty: expected a number, got None"),
        ({"trace": 1}, TypeError, "trace: expected True or False, got 1"),
        ({"source": (SOURCE.float(), MASK)}, TypeError, "source: expected dtype torch.int64"),
        ({"source": (SOURCE[:0], MASK[:0])}, ValueError, "source: axis batch must not be empty"),
        ({"source": (SOURCE, MASK[:, :2])}, ValueError, r"source_mask: expected axes \[batch=2"),
    ],
)
def test_bad_arguments_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        search(Markov(TRAP), **{"beam": 2, **options})


def test_a_model_that_cannot_reorder_is_refused():
    class Fixed(nn.Module):
        start, step = Markov.start, Markov.step

    for model in (Fixed(), nn.Linear(2, 3)):
        with pytest.raises(TypeError, match="nn.Module with methods start, step and reorder, got"):
            search(model, beam=2)


def test_a_beam_wider_than_the_vocabulary_is_allowed():
    assert search(Markov(TRAP), beam=101).to_lists() == [[[B]]]
