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


def test_without_a_begin_token_new_tokens_read_everything():
    ids = tokens(begin=False)
    wrong = (circuit(begin=None)(ids).logits - successor_frequencies(ids, VOCABULARY)).abs()
    new = ~(ids[:, :, None] == ids[:, None]).tril(-1).any(dim=-1)
    first = ids == ids[:, :1]  # position 0 says that it stands behind its own token
    assert torch.equal(wrong.amax(dim=-1) > 1e-12, new | first & ~new)


def test_what_the_softmax_leaves_falls_with_beta():
    ids = tokens()
    expected = successor_frequencies(ids, VOCABULARY)
    left = [(circuit(beta=beta)(ids).logits - expected).abs().max().item() for beta in (10, 20, 40)]
    bounds = [LENGTH * 2.718 ** (-beta / 2) for beta in (10, 20, 40)]
    assert all(0 < found < bound for found, bound in zip(left, bounds, strict=True))


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


def test_making_it_draws_no_random_number():
    state = torch.random.get_rng_state()
    circuit()
    assert torch.equal(torch.random.get_rng_state(), state)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vocabulary": 0}, "vocabulary: expected an integer of at least 1, got 0"),
        ({"length": 0}, "length: expected an integer of at least 1, got 0"),
        ({"beta": 0}, "beta: expected a number > 0 and <= 1e\\+30, got 0"),
        ({"begin": 7}, "begin: expected a token number below vocabulary=7, got 7"),
    ],
)
def test_bad_circuits_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        circuit(**options)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (tokens(begin=False), "tokens: expected the begin token 6 first and nowhere else"),
        (torch.tensor([[6, 1, 6]]), "tokens: expected the begin token 6 first and nowhere else"),
        (torch.tensor([[6, 7]]), r"tokens: expected token numbers in \[0, 7\), got 7"),
        (tokens(LENGTH + 1), "tokens: expected at most length=23 positions, got 24"),
    ],
)
def test_bad_sequences_are_refused(ids, message):
    with pytest.raises(ValueError, match=message):
        circuit()(ids)
