"""The LSTM with a tape: values by hand, the formula in loops, masks, gradients, bad input."""

import math

import pytest
import torch

from bottomup.attention import LSTMN, Tape, tape_attention
from tests.drawn import global_seed, randn

BATCH, PAST, D_WORD, D_STATE, D_ATTENTION = 2, 3, 5, 7, 11


@pytest.fixture
def inputs(device):
    shapes = {
        "word": (BATCH, D_WORD),
        "summary": (BATCH, D_STATE),
        "hidden": (BATCH, PAST, D_STATE),
        "cell": (BATCH, PAST, D_STATE),
        "W_h": (D_ATTENTION, D_STATE),
        "W_x": (D_ATTENTION, D_WORD),
        "W_s": (D_ATTENTION, D_STATE),
        "v": (D_ATTENTION,),
    }
    return {
        name: randn(*shape, seed=n).to(device) for n, (name, shape) in enumerate(shapes.items())
    }


def small_model(device="cpu"):
    with global_seed(3):
        return LSTMN(D_WORD, D_STATE, D_ATTENTION).to(device, torch.float64)


def test_tape_attention_by_hand_on_three_words():
    # one hidden unit: the score of word i is 2 tanh(h_i + x - s), here 2 tanh of 1, 0 and 3
    one, two = torch.ones(1, 1), torch.tensor([2.0])
    hidden = torch.tensor([[0.0], [-1.0], [2.0]])
    cell = torch.tensor([[10.0], [20.0], [30.0]])
    (h, c), weights = tape_attention(
        torch.tensor([3.0]), torch.tensor([2.0]), hidden, cell,
        W_h=one, W_x=one, W_s=-one, v=two,
    )  # fmt: skip
    scores = [math.exp(2 * math.tanh(x)) for x in (1, 0, 3)]
    by_hand = [score / sum(scores) for score in scores]
    assert weights.tolist() == pytest.approx(by_hand)
    assert h.item() == pytest.approx(-by_hand[1] + 2 * by_hand[2])
    assert c.item() == pytest.approx(10 * by_hand[0] + 20 * by_hand[1] + 30 * by_hand[2])


def test_tape_attention_passes_gradcheck(inputs):
    names = list(inputs)
    leaves = [inputs[name].cpu().requires_grad_() for name in names]

    def readings(*values):
        (hidden, cell), weights = tape_attention(**dict(zip(names, values, strict=True)))
        return hidden, cell, weights

    assert torch.autograd.gradcheck(readings, leaves)


def test_a_tape_that_may_not_be_read_gives_zeros_and_finite_gradients(inputs, device):
    mask = torch.tensor([[False] * PAST, [True, False, True]], device=device)
    leaves = {name: x.requires_grad_() for name, x in inputs.items()}
    (hidden, cell), weights = tape_attention(**leaves, mask=mask)
    (hidden.sum() + cell.sum()).backward()
    assert hidden[0].abs().sum() == cell[0].abs().sum() == weights[0].abs().sum() == 0
    assert weights[1, 1] == 0
    assert weights[1].sum().item() == pytest.approx(1)
    assert all(leaf.grad.isfinite().all() for leaf in leaves.values())


def test_the_cell_equals_its_equations_in_loops():
    model = small_model()
    words = randn(BATCH, 4, D_WORD, seed=20)
    hidden, weights = model(words)
    cell = model.cell
    for b in range(BATCH):
        h, c = [], []
        summary = torch.zeros(D_STATE, dtype=torch.float64)
        for t in range(4):
            read_h = read_c = torch.zeros(D_STATE, dtype=torch.float64)
            if t > 0:
                asked = cell.W_x @ words[b, t] + cell.W_s @ summary
                scores = torch.stack([cell.v @ torch.tanh(cell.W_h @ x + asked) for x in h])
                share = scores.softmax(0)
                torch.testing.assert_close(weights[b, t, :t], share)
                read_h = sum(s * x for s, x in zip(share, h, strict=True))
                read_c = sum(s * x for s, x in zip(share, c, strict=True))
            i, f, o, g = cell.gates(torch.cat([read_h, words[b, t]])).split(D_STATE)
            c.append(f.sigmoid() * read_c + i.sigmoid() * g.tanh())
            h.append(o.sigmoid() * c[-1].tanh())
            summary = read_h
            torch.testing.assert_close(hidden[b, t], h[-1])


def test_steps_by_the_cell_equal_the_whole_sentence(device):
    model = small_model(device=device)
    words = randn(BATCH, 4, D_WORD).to(device)
    hidden, weights = model(words)
    tape = None
    for t in range(4):
        tape, read = model.cell(words[:, t], tape)
        assert isinstance(tape, Tape)
        assert torch.equal(tape.hidden, hidden[:, : t + 1])
        assert torch.equal(read, weights[:, t, :t])
    assert tape.cell.shape == tape.hidden.shape
    assert tape.summary.shape == (BATCH, D_STATE)


def test_padding_is_not_read_and_a_batch_of_one_gives_the_same():
    model = small_model()
    words = randn(BATCH, 5, D_WORD)
    real = torch.tensor([[True] * 5, [True, True, True, False, False]])
    hidden, weights = model(words, real[:, None, :])
    alone, _ = model(words[1:, :3])
    torch.testing.assert_close(hidden[1:, :3], alone, rtol=1e-12, atol=1e-12)
    assert weights[1, :, 3:].abs().sum() == 0
    torch.testing.assert_close(hidden[:1], model(words[:1])[0], rtol=1e-12, atol=1e-12)


def test_gradients_are_right_and_reach_every_parameter():
    model = small_model()
    words = randn(1, 3, D_WORD).requires_grad_()
    mask = torch.tensor([[True, True, True], [True, True, True], [False, True, True]])
    assert torch.autograd.gradcheck(lambda x: model(x, mask), words)
    model(randn(BATCH, 4, D_WORD))[0].square().sum().backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in model.parameters())


def test_bad_kind_is_named(inputs):
    with pytest.raises(ValueError, match=r"mask: expected a shape that broadcasts to \(2, 3\)"):
        tape_attention(**inputs, mask=torch.ones(PAST + 1, dtype=torch.bool))


def test_module_checks_its_widths_and_its_words():
    model = small_model()
    with pytest.raises(ValueError, match=r"word: expected axes \[batch, d_word=5\]"):
        model.cell(randn(BATCH, D_WORD + 1))
    with pytest.raises(ValueError, match=r"mask: expected a shape that broadcasts to \(2, 3, 3\)"):
        model(randn(BATCH, 3, D_WORD), torch.ones(2, 2, dtype=torch.bool))
    tape, _ = model.cell(randn(BATCH, D_WORD))
    with pytest.raises(
        ValueError, match=r"tape: expected \[batch=1, past, d_state=7\] twice .*, got \(\(2, 1, 7\)"
    ):
        model.cell(randn(1, D_WORD), tape)
