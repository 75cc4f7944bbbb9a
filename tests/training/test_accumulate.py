"""Several batches in a step, and a loss in bfloat16."""

from dataclasses import replace

import pytest
import torch

from bottomup.data import make_batch
from bottomup.models import Transformer, TransformerConfig
from bottomup.training import fit, token_cross_entropy

# With EOS two, five and three real target tokens: shares that are not equal.
PAIRS = [([5, 9], [7]), ([6, 4, 8], [9, 5, 4, 7]), ([7], [8, 6])]


def model() -> Transformer:
    sizes = {"source_vocabulary": 11, "target_vocabulary": 11, "d_model": 8, "num_heads": 2}
    layers = {"d_ff": 13, "encoder_layers": 1, "decoder_layers": 1, "dropout": 0.0}
    with torch.random.fork_rng():
        torch.manual_seed(3)
        return Transformer(TransformerConfig(**sizes, **layers)).double()


def loss(model, batch):
    return token_cross_entropy(model(batch).logits, batch.target_out, batch.target_mask)


def trained(batches, *, steps=2, loss=loss, **options):
    net = model()
    adam = torch.optim.SGD(net.parameters(), lr=0.5)
    history = fit(net, batches, steps=steps, loss=loss, optimizer=adam, **options)
    return net, history


def whole(step):
    return make_batch(PAIRS)


def pieces(number):
    return make_batch([PAIRS[number % 3]])


def distance(one, other):
    pairs = zip(one.parameters(), other.parameters(), strict=True)
    return max((a - b).abs().max().item() for a, b in pairs)


def test_three_batches_in_a_step_are_one_batch_of_all():
    net, history = trained(pieces, accumulate=3)
    other, expected = trained(whole)
    assert distance(net, other) < 1e-12
    assert history.tokens == expected.tokens == [10, 10]
    assert history.loss == pytest.approx(expected.loss, abs=1e-12)
    assert history.grad_norm == pytest.approx(expected.grad_norm, abs=1e-12)


def test_the_mean_of_the_losses_would_be_another_training(monkeypatch):
    expected, _ = trained(whole)
    monkeypatch.setattr("bottomup.training.step_loss._shares", lambda counts: [1 / 3] * 3)
    net, _ = trained(pieces, accumulate=3)
    assert distance(net, expected) > 1e-3


def test_batches_of_a_step_follow_those_of_the_step_before():
    asked = []

    def noted(number):
        asked.append(number)
        return pieces(number)

    trained(noted, accumulate=2, steps=3)
    assert asked == [0, 1, 2, 3, 4, 5]


def test_batches_without_tokens_have_even_parts():
    def nothing(number):
        batch = make_batch([PAIRS[number % 3]])
        return replace(batch, target_mask=torch.zeros_like(batch.target_mask))

    def of_source(model, batch):
        return sum(p.sum() for p in model.parameters()) * batch.source.shape[1]

    _, history = trained(nothing, accumulate=2, steps=1, loss=of_source)
    start = sum(p.sum() for p in model().parameters()).item()
    assert history.loss == pytest.approx([start * (3 + 4) / 2])  # source tokens with EOS
    assert history.tokens == [0]


@pytest.mark.parametrize("option", [{"accumulate": 3}, {"precision": "bf16"}])
def test_a_checkpoint_knows_how_a_step_is_made(tmp_path, option):
    path = tmp_path / "run.pt"
    trained(pieces, checkpoint=path)
    (name,) = option
    with pytest.raises(ValueError, match=f"belongs to another run: {name} is .* there and .* here"):
        trained(pieces, checkpoint=path, **option)


@pytest.mark.parametrize(
    "option, wrong",
    [
        ({"accumulate": 0}, "accumulate: expected an integer of at least 1, got 0"),
        ({"precision": "fp8"}, "precision: expected one of 'bf16', None, got 'fp8'"),
    ],
)
def test_other_steps_are_refused(option, wrong):
    with pytest.raises(ValueError, match=wrong):
        trained(whole, **option)


def test_bf16_computes_the_loss_in_bfloat16_and_keeps_parameters_in_float32():
    seen = []

    def watched(model, batch):
        value = loss(model, batch)
        seen.append(model(batch).logits.dtype)
        return value

    losses = {}
    for precision in (None, "bf16"):
        net = model().float()
        history = fit(
            net,
            whole,
            steps=5,
            loss=watched,
            optimizer=torch.optim.Adam(net.parameters(), lr=1e-2),
            precision=precision,
        )
        assert {p.dtype for p in net.parameters()} == {torch.float32}
        assert {p.grad.dtype for p in net.parameters()} == {torch.float32}
        losses[precision] = history.loss
    assert seen == 5 * [torch.float32] + 5 * [torch.bfloat16]
    assert losses["bf16"] != losses[None]
    assert losses["bf16"] == pytest.approx(losses[None], rel=0.02)  # 8 bits of mantissa
    assert losses["bf16"][-1] < losses["bf16"][0]
