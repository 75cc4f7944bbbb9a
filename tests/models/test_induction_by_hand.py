import pytest
import torch

from bottomup.analysis import patched, prefix_matching_score, previous_token_score
from bottomup.data import successor_frequencies
from bottomup.models import InductionByHand
from tests.drawn import seeded

VOCABULARY, LENGTH, BATCH, BEGIN = 7, 23, 11, 6


def tokens(n: int = LENGTH, *, begin: bool = True) -> torch.Tensor:
    drawn = torch.randint(BEGIN, (BATCH, n), generator=seeded(3))
    if begin:
        drawn[:, 0] = BEGIN
    return drawn


def circuit(**options) -> InductionByHand:
    sizes = {"vocabulary": VOCABULARY, "length": LENGTH, "beta": 80, "begin": BEGIN}
    return InductionByHand(**{**sizes, **options}).double()


@pytest.mark.parametrize("n", [LENGTH, 13, 1])
def test_it_gives_the_frequencies_of_what_followed(n):
    ids = tokens(n)
    expected = successor_frequencies(ids, VOCABULARY)
    assert torch.allclose(circuit()(ids).logits, expected, atol=1e-12, rtol=0)


def test_by_hand():
    ids = torch.tensor([[2, 0, 1, 0, 0, 1, 0]])
    logits = circuit(vocabulary=3, begin=2)(ids).logits
    assert logits[0, 3].tolist() == pytest.approx([0, 1, 0], abs=1e-12)  # 0 was followed by 1
    assert logits[0, 4].tolist() == pytest.approx([0.5, 0.5, 0], abs=1e-12)  # and by 0
    assert logits[0, 5].tolist() == pytest.approx([1, 0, 0], abs=1e-12)
    assert logits[0, 2].tolist() == pytest.approx([0, 0, 0], abs=1e-12)  # the first 1


def test_its_heads_are_those_of_the_circuit():
    ids = tokens()
    first, second = circuit()(ids).weights
    assert previous_token_score(first).mean(0).item() == pytest.approx(1, abs=1e-12)
    assert prefix_matching_score(second, ids).item() == pytest.approx(1, abs=1e-12)
    assert prefix_matching_score(first, ids).item() < 0.3


def test_the_keys_alone_need_the_first_layer():
    ids, model = tokens(), circuit()
    whole, start = model(ids).logits, model.embed(ids)
    second = model.layers[1]
    for name in ("W_Q", "W_V"):
        with patched(model, {f"layers.1.{name}": getattr(second, name)(start)}):
            assert torch.equal(model(ids).logits, whole)
    with patched(model, {"layers.1.W_K": second.W_K(start)}):
        assert model(ids).logits.abs().max() < 1e-12  # all read the begin token


def test_a_begin_token_outside_the_vocabulary_is_refused():
    with pytest.raises(ValueError, match="begin: expected a token number below vocabulary=7, got"):
        circuit(begin=7)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (tokens(begin=False), "tokens: expected the begin token 6 first and nowhere else"),
        (torch.tensor([[6, 7]]), r"tokens: expected token numbers in \[0, 7\), got 7"),
        (tokens(LENGTH + 1), "tokens: expected at most length=23 positions, got 24"),
    ],
)
def test_bad_sequences_are_refused(ids, message):
    with pytest.raises(ValueError, match=message):
        circuit()(ids)
