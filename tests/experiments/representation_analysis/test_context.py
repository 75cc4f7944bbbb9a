"""Chapter 08's context of neighbours: labels and shares by hand, a tiny run, the claims."""

from itertools import pairwise

import pytest
import torch

from bottomup.data import Vocabulary
from bottomup.experiments import Record, Verdict
from bottomup.experiments.representation_analysis import networks, readings
from bottomup.experiments.representation_analysis.context import experiment as context
from bottomup.experiments.representation_analysis.context.neighbours import (
    chance,
    classes_of,
    copies,
    places,
    share,
    surroundings,
)
from tests.experiments.records import record_of
from tests.experiments.representation_analysis import made_up_layers as layers
from tests.experiments.representation_analysis.tiny_layers import tiny_batches, tiny_text

TINY = context.PRESETS["tiny"]
NETWORKS = ("lm", "mlm", "mt", "untrained", "untrained_causal")
LABELS = ["left_word", "right_word", "left_class", "right_class", "both_classes"]

# ---- Labels

WORDS = Vocabulary(["the", "dog", "cat", "sees", "."])  # numbers 4 to 8
SENTENCE = torch.tensor([[4, 5, 7, 4, 6, 8, 2]])  # the dog sees the cat .


def test_words_and_classes_beside_a_token_by_hand():
    labels = surroundings([SENTENCE, torch.tensor([[3, 8, 2]])], WORDS)
    assert list(labels) == LABELS
    # an unknown word is not asked, as in `gather`, but stands beside the full stop
    assert labels["left_word"].tolist() == [1, 4, 5, 7, 4, 6, 3]
    assert labels["right_word"].tolist() == [5, 7, 4, 6, 8, 2, 2]
    classes = classes_of(WORDS)
    [begin, end, unknown, the, noun, verb, stop] = classes[[1, 2, 3, 4, 5, 7, 8]].tolist()
    assert len({begin, end, unknown, the, noun, verb, stop}) == 7
    assert labels["left_class"].tolist() == [begin, the, noun, verb, the, noun, unknown]
    assert labels["right_class"].tolist() == [noun, verb, the, noun, stop, end, end]
    pairs = zip(labels["left_class"].tolist(), labels["right_class"].tolist(), strict=True)
    assert len(set(zip(labels["both_classes"].tolist(), pairs, strict=True))) == 7
    assert classes[5] == classes[6]  # dog, cat


def test_labels_stand_beside_the_tokens_that_are_gathered():
    model = networks.untrained(TINY.base, tiny_text(), "lm", networks.Start.of(3, 0)).eval()
    found = readings.gather(model, tiny_batches())
    labels = surroundings(tiny_batches(), tiny_text().words)
    rows = [[1, *row.tolist()] for tokens in tiny_batches() for row in tokens]
    beside = zip(labels["left_word"].tolist(), labels["right_word"].tolist(), strict=True)
    stand = zip(found.sentences.tolist(), found.positions.tolist(), strict=True)
    assert [(rows[s][p], rows[s][p + 2]) for s, p in stand] == list(beside)


# ---- Shares

TOKENS = torch.tensor([5, 9, 5, 9, 5, 9, 5, 7, 7])
DIRECTIONS = torch.tensor([0.0, 0, 10, 90, 20, 91, 80, 45, 46]).double().deg2rad()
STATES = torch.stack([DIRECTIONS.cos(), DIRECTIONS.sin()], dim=1) * torch.arange(1, 10)[:, None]
LABEL = torch.tensor([1, 3, 1, 3, 2, 4, 2, 1, 1])


def drawn(types: int = 9, per_type: int = 9, k: int = 1) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(7)
    return copies(TOKENS, types=types, per_type=per_type, k=k, generator=generator)


def test_copies_are_of_one_type_and_more_than_k():
    def rows(**choices: int) -> list[list[int]]:
        return [sorted(each.tolist()) for each in drawn(**choices)]

    assert rows() == [[0, 2, 4, 6], [1, 3, 5], [7, 8]]
    assert rows(types=1) == [[0, 2, 4, 6]]
    assert rows(k=2) == [[0, 2, 4, 6], [1, 3, 5]]
    assert [len(each) for each in drawn(per_type=3)] == [3, 3, 2]


def test_shares_by_hand():
    rows = drawn()
    near = places(STATES, rows, k=1)
    found = torch.zeros(9, 9)
    for each, of in zip(rows, near, strict=True):
        found[each[:, None], each] = of.float()
    assert (found.sum(dim=1) - 1).abs().max() < 1e-6
    assert found[2, [0, 4]].tolist() == pytest.approx([0.5, 0.5])  # equally near
    own = {0: 2, 4: 2, 6: 4, 1: 3, 3: 5, 5: 3, 7: 8, 8: 7}
    assert all(found[row, other] == 1 for row, other in own.items())
    # type 5: the nearest of 0 and 6 have their label, that of 4 has not, and of 2 one of both has;
    # type 9: that of 1. Type 7 is left out, as its copies do not differ in the label.
    assert share(LABEL, rows, near) == pytest.approx((2.5 / 4 + 1 / 3) / 2)
    # of 12 ordered pairs 4 are alike in type 5, of 6 there are 2 in type 9
    assert chance(LABEL, rows) == pytest.approx((4 / 12 + 2 / 6) / 2)


def test_states_that_hold_the_label_share_it_and_those_that_hold_nothing_share_by_chance(generator):
    tokens = torch.randint(3, (6_000,), generator=generator)
    label = torch.randint(4, (6_000,), generator=generator)
    rows = copies(tokens, types=3, per_type=800, k=5, generator=generator)

    def found(states: torch.Tensor) -> float:
        return share(label, rows, places(states, rows, 5))

    holds = torch.nn.functional.one_hot(label, 4).float()
    assert found(holds + 0.01 * torch.randn(holds.shape, generator=generator)) == 1
    assert found(holds) == 1
    assert found(torch.ones(6_000, 8)) == pytest.approx(chance(label, rows))
    nothing = torch.randn(6_000, 8, generator=generator)
    assert found(nothing) == pytest.approx(chance(label, rows), abs=0.03)


def test_a_label_in_which_no_copies_differ_is_refused():
    for ask in (lambda: share(TOKENS, drawn(), []), lambda: chance(TOKENS, drawn())):
        with pytest.raises(ValueError, match="copies of a type differ"):
            ask()


# ---- A tiny run


@pytest.fixture(scope="module")
def tiny() -> Record:
    return context.run(TINY, (3, 4, 5), "cpu")


def test_a_tiny_run_gives_every_measure_and_claim(tiny: Record):
    for run in tiny.runs:
        assert list(run["metrics"]) == list(NETWORKS)
        for table in run["metrics"].values():
            assert list(table["share"]) == list(table["chance"]) == LABELS
            assert list(table["share"]["left_word"]) == [f"layer_{n}" for n in range(4)]
            assert all(0 <= s <= 1 for each in table["share"].values() for s in each.values())
        tables = list(run["metrics"].values())
        assert all(a["chance"] == b["chance"] for a, b in pairwise(tables))
    assert list(layers.claims(tiny)) == [f"08.11{letter}" for letter in "abcde"]


def test_the_copies_have_a_seed_of_their_own():
    assert context.COPIES - readings.SHUFFLED >= 100_000


# ---- Claims


def made_up(**changes: tuple[float, ...]) -> Record:
    """A record of four layers."""
    good = {
        "lm_left_word": (0.1, 0.9, 0.8, 0.7, 0.5),
        "lm_right_word": (0.1, 0.2, 0.3, 0.4, 0.5),
        "mlm_left_word": (0.1, 0.3, 0.6, 0.5, 0.4),
        "mlm_right_word": (0.1, 0.3, 0.4, 0.4, 0.4),
        "mlm_both_classes": (0.1, 0.3, 0.9, 0.5, 0.6),
        "untrained_causal_left_word": (0.1, 0.9, 0.8, 0.8, 0.7),
    }
    assert set(changes) <= set(good)
    metrics: dict = {network: {"share": {}} for network in NETWORKS}
    for name, values in {**good, **changes}.items():
        network = next(n for n in sorted(NETWORKS, key=len, reverse=True) if name.startswith(n))
        label = name.removeprefix(f"{network}_")
        metrics[network]["share"][label] = {f"layer_{n}": v for n, v in enumerate(values)}
    return record_of(context.NAME, [metrics] * 3, context.PRESETS["recorded"])


def test_the_claims_by_hand():
    claims = layers.claims(made_up())
    values = {"08.11a": 0.4, "08.11b": 0.3, "08.11c": 0.1, "08.11d": 0.3, "08.11e": 0.2}
    for number, value in values.items():
        assert claims[number].values == pytest.approx((value,) * 3)


@pytest.mark.parametrize(
    ("name", "values", "peak"),
    [
        ("mlm_right_word", (0.1, 0.3, 0.4, 0.4, 0.59), 0.005),  # no fall
        ("mlm_left_word", (0.69, 0.3, 0.4, 0.0, 0.0), 0.005),  # hardly a rise of both
    ],
)
def test_a_peak_is_higher_than_both_ends(name: str, values: tuple[float, ...], peak: float):
    claim = layers.claims(made_up(**{name: values}))["08.11c"]
    assert claim.values == pytest.approx((peak,) * 3)
    assert claim.verdict == Verdict.FAILS
