"""Chapter 06's experiment on the mini-language: its measures by hand."""

import math
from typing import Any

import pytest
import torch

from bottomup.data import BOS, EOS, make_batch
from bottomup.decoding import BeamDecoded, BeamStep, beam_search
from bottomup.experiments import Record
from bottomup.experiments.decoding.search.beams import (
    Found,
    contrasts,
    measure_beams,
    proved_best,
    reference_log_probabilities,
    search_all,
)
from bottomup.experiments.decoding.search.config import Config, usual_width
from bottomup.experiments.decoding.search.cost import by_formula, growth
from bottomup.experiments.decoding.search.exact import (
    SEARCHED,
    beam_of_one_is_greedy,
    best_of_all,
    prefix_digits,
    small_model,
    written_on,
)
from bottomup.experiments.decoding.search.translator import (
    draw,
    measure_bleus,
    quality,
)
from bottomup.models import Transformer, TransformerConfig
from tests.decoding.markov import Markov

NAME = "decoding_search"
PAIRS = [([5, 7, 11], [5, 6]), ([5], [4, 3, 6, 5, 4]), ([6, 9], [3])]


def test_widths_by_hand():
    assert (usual_width((1, 2, 3, 5, 10)), usual_width((1, 2, 3))) == (5, 2)
    assert contrasts((1, 3, 5, 50)) == [(1, 5), (5, 50), (1, 50)]


# --- What is exact ---


def test_what_is_exact_is_exact(tiny: Record):
    (found,) = tiny.metric("exact")
    assert min(found["cache_digits"], found["prefix_digits"]) > 12
    assert found["memory_off"] == 0
    assert found["greedy"] == 1
    searches = found["exhaustive"]
    assert searches["share"] == 1
    assert searches["score_digits"] > 12
    assert (searches["sequences"], searches["searches"]) == (1 + 6 + 36 + 216, 15)
    assert searches["narrower"]["1"] < searches["narrower"]["23"] <= 1
    assert tiny.metric("cost.formula_off") == (0,)


def test_prefixes_are_written_first():
    model = small_model(1, norm="pre", positions="sinusoidal")
    batch, prefixes = make_batch(PAIRS), [[4], [5, 6, 3], [6, 5]]
    with torch.no_grad():
        logits = written_on(model, batch, prefixes)
        written = logits.argmax(dim=-1)[:, :2].tolist()
        rows = [[4, written[0][1]], [5, 6], [6, 5]]
        pairs = [(source, row) for (source, _), row in zip(PAIRS, rows, strict=True)]
        again = model(make_batch(pairs)).logits
    assert torch.allclose(logits[:, :3], again, atol=1e-12)


def test_prefixes_that_disturb_each_other_are_noticed(monkeypatch: pytest.MonkeyPatch):
    model = small_model(1, norm="pre", positions="sinusoidal")
    step = model.step

    def mixed(token: torch.Tensor, state: Any) -> Any:
        logits, state, weights = step(token, state)
        return logits + 0.1 * token.sum(), state, weights

    pairs = [([5, 7], [3]), ([5], [4]), ([6, 9], [3]), ([5], [3]), ([8], [3])]
    with torch.no_grad():
        assert prefix_digits(model, pairs, torch.Generator().manual_seed(0)) > 12
        monkeypatch.setattr(model, "step", mixed)
        assert prefix_digits(model, pairs, torch.Generator().manual_seed(0)) < 2


def test_a_beam_of_one_is_greedy_where_a_beam_of_two_is_not():
    table = torch.full((6, 6), 1e-9)
    table[BOS, [4, 5]] = torch.tensor([0.6, 0.4])
    table[4, [EOS, 4, 5]] = torch.tensor([0.4, 0.3, 0.3])  # greedily 4, with probability 0.24
    table[5, EOS] = 1.0  # more probable: 5, with 0.4
    model, batch = Markov(table.log()), make_batch(PAIRS)
    decoded = beam_search(model, batch.source, batch.source_mask, beam=2, max_length=3)
    assert decoded.best().to_lists() == [[5]] * 3
    assert beam_of_one_is_greedy(model, batch) == 1


def test_the_best_of_all_sequences_has_the_largest_score():
    model = small_model(2, norm="pre", positions="learned")
    batch = make_batch(PAIRS)
    with torch.no_grad():
        best = best_of_all(model, batch, 1, 0.0)
        right = reference_log_probabilities(model, [([5], best.tokens)])[0]
        assert best.score == pytest.approx(right)
        assert len(best.tokens) < SEARCHED
        penalised = best_of_all(model, batch, 1, 1.0)
        own = reference_log_probabilities(model, [([5], penalised.tokens)])[0]
        assert penalised.score == pytest.approx(own / ((6 + len(penalised.tokens)) / 6))


# --- What it costs ---


def test_the_formula_by_hand():
    config = TransformerConfig(
        source_vocabulary=11, target_vocabulary=7, d_model=2, encoder_layers=1, decoder_layers=1,
        num_heads=1, d_ff=3,
    )  # fmt: skip
    # a position: self 4 * 4, cross 2 * 4, scores and sums of 5 sources 2 * 5 * 2, FFN 12, logits 14
    each, memory = 16 + 8 + 20 + 12 + 14, 2 * 5 * 4
    assert by_formula(config, 5, 1) == {
        "cached": each + memory + 4,
        "redecoded": each + memory + 4,
    }
    assert growth({8: 64 * 5, 16: 256 * 5, 64: 4096 * 5}) == pytest.approx(2)
    assert by_formula(config, 5, 3) == {
        "cached": 3 * each + memory + 4 * (1 + 2 + 3),
        "redecoded": 6 * each + 3 * memory + 4 * (1 + 4 + 9),
    }


# --- What a search finds ---


def step(sources: list[int], *candidates: tuple[float, bool, bool]) -> BeamStep:
    """One step with the same candidates for each source: log P, continued, ended."""
    logs, continued, ended = zip(*candidates, strict=True)
    shape = (len(sources), len(candidates))

    def rows(values: tuple[Any, ...], dtype: torch.dtype) -> torch.Tensor:
        return torch.tensor(values, dtype=dtype).expand(shape)

    return BeamStep(
        source=torch.tensor(sources),
        parent=torch.zeros(shape, dtype=torch.int64),
        token=torch.zeros(shape, dtype=torch.int64),
        log_probability=rows(logs, torch.float64),
        score=rows(logs, torch.float64),
        continued=rows(continued, torch.bool),
        ended=rows(ended, torch.bool),
    )


def decoded(logs: list[float], *steps: BeamStep, ended: bool = True) -> BeamDecoded:
    shape = (len(logs), 1)
    return BeamDecoded(
        tokens=torch.zeros(*shape, 1, dtype=torch.int64),
        lengths=torch.ones(shape, dtype=torch.int64),
        log_probabilities=torch.tensor(logs, dtype=torch.float64)[:, None],
        scores=torch.tensor(logs, dtype=torch.float64)[:, None],
        ended=torch.full(shape, ended),
        steps=steps,
    )


def test_a_result_is_proved_where_nothing_better_was_dropped():
    both = step([0, 1], (-1.0, True, False), (-3.0, False, False), (-4.0, False, False))
    later = step([1], (-2.0, False, True), (-2.2, True, False), (-2.4, False, False))
    assert proved_best(decoded([-2.9, -2.0], both)).tolist() == [True, True]
    assert proved_best(decoded([-3.1, -2.0], both)).tolist() == [False, True]
    assert proved_best(decoded([-2.9, -2.5], both, later)).tolist() == [True, False]
    assert proved_best(decoded([-2.9, -2.0], both, ended=False)).tolist() == [False, False]
    # what is not listed may be as probable as the last that is
    full = step([0], (-1.0, True, False), (-2.0, False, True))
    assert proved_best(decoded([-1.5], full)).tolist() == [True]
    assert proved_best(decoded([-2.5], full)).tolist() == [False]


def untrained(seed: int) -> Transformer:
    """A float32 model with room for as many tokens as the experiment writes."""
    config = TransformerConfig(
        source_vocabulary=17, target_vocabulary=7, d_model=14, encoder_layers=1, decoder_layers=1,
        num_heads=7, d_ff=19, max_length=40,
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Transformer(config)


def test_a_wide_search_of_a_small_vocabulary_is_proved_and_has_no_errors():
    model, config = untrained(3), Config(beams=(1, 3, 101), alphas=("0", "1"))
    searched = search_all(config, model, PAIRS)
    assert searched["0"][3].proved == searched["1"][101].proved == []
    widest = searched["0"][101]
    assert widest.proved == [True] * 3
    for found in (searched["0"][1], searched["0"][3], searched["1"][101]):
        pairs = zip(found.log_probability, widest.log_probability, strict=True)
        assert all(log <= best + 1e-5 for log, best in pairs)
    right = reference_log_probabilities(model, PAIRS)
    references = [as_text(target) for _, target in PAIRS]
    measured = measure_beams(config, searched, right, as_text, references)
    assert measured["proved"] == 1
    assert measured["beam"]["0"][101]["search_errors"] == 0


def as_text(numbers: Any) -> list[str]:
    return [f"w{number}" for number in numbers]


def found(rows: list[list[int]], logs: list[float]) -> Found:
    return Found(rows, logs, [True] * len(rows), [True] * len(rows))


def test_searches_are_compared_by_hand():
    config = Config(beams=(1, 2, 3), alphas=("0",))
    right = [[3, 4, 5, 6], [3, 4, 5, 6], [6, 5, 4, 3], [6, 5, 4, 3]]
    one = found([[3, 4, 5, 6], [3, 4, 5], [6, 5, 4, 4], [6]], [-2.0, -3.0, -2.0, -5.0])
    two = found([[3, 4, 5, 4], [3, 4, 5, 6], [6, 5, 4, 4], [5]], [-1.0, -1.5, -2.0, -4.0])
    three = found([[], [3, 4, 5, 6], [6, 5, 4, 4], [6, 5, 4, 3]], [-0.5, -1.5, -2.5, -4.5])
    measured = measure_beams(
        config, {"0": {1: one, 2: two, 3: three}}, [-2.0, -1.5, -1.0, -9.0], as_text,
        [as_text(row) for row in right],
    )  # fmt: skip
    errors = [measured["beam"]["0"][width]["search_errors"] for width in (1, 2, 3)]
    assert errors == [1, 2 / 4, 2 / 4]
    assert [measured["beam"]["0"][width]["exact"] for width in (1, 2, 3)] == [1 / 4, 1 / 4, 2 / 4]
    assert measured["beam"]["0"][3]["empty"] == 1 / 4
    assert measured["beam"]["0"][1]["length_ratio"] == 12 / 16
    assert measured["reference"] == {"log_probability": -13.5 / 4, "above_widest": 1 / 4}
    wider = measured["wider"]["1_2"]
    assert (wider["raised"], wider["lowered"]) == (3 / 4, 0)
    assert wider["log_probability"] == pytest.approx(3.5 / 4)
    assert [wider[f"raised_{what}"] for what in ("worse", "equal", "better")] == [1 / 4] * 3
    assert (wider["raised_lost"], wider["raised_won"]) == (1 / 4, 1 / 4)
    assert measured["wider"]["2_3"]["lowered"] == 2 / 4


def test_a_reference_has_the_probability_of_its_tokens():
    model = untrained(1)
    batch = make_batch(PAIRS)
    logs = model(batch).logits.double().log_softmax(dim=-1)
    expected = sum(logs[0, place, token].item() for place, token in enumerate((5, 6, 2)))
    assert batch.target_out[0, :3].tolist() == [5, 6, 2]
    assert reference_log_probabilities(model, PAIRS)[0] == pytest.approx(expected, abs=1e-5)


# --- Samples and scores ---


def test_samples_are_drawn_for_each_source_and_repeat_under_a_seed():
    model = untrained(1)
    drawn = draw(model, PAIRS, 5, 7, {})
    assert [len(rows) for rows in drawn] == [5, 5, 5]
    assert drawn == draw(model, PAIRS, 5, 7, {})
    assert drawn != draw(model, PAIRS, 5, 8, {})
    sure = draw(model, PAIRS, 3, 7, {"top_k": 1})
    assert all(rows[0] == rows[1] == rows[2] for rows in sure)


def test_quality_by_hand():
    right = [list("abcd"), list("efgh")]
    assert quality([list("abcd"), list("ef")], right) == {
        "bleu": pytest.approx(100 * math.exp(1 - 8 / 6)), "exact": 0.5, "length_ratio": 6 / 8,
    }  # fmt: skip
    scores = measure_bleus([list("abcd"), list("ef")], right)
    assert scores["right"] == pytest.approx(scores["sacrebleu"], abs=1e-9)
    assert scores["no_brevity"] == pytest.approx(100)
