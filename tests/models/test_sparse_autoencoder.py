import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bottomup.models import SparseAutoencoder, autoencoder_loss, dead_units, top_k
from bottomup.training import keep_unit_norm
from tests.drawn import global_seed

D_INPUT, DICTIONARY, BATCH = 5, 11, 7
LAMBDA, RATE = 0.1, 0.1


def autoencoder(d_input: int = D_INPUT, d_dictionary: int = DICTIONARY, **options):
    with global_seed(0):
        model = SparseAutoencoder(d_input, d_dictionary, **options).double()
    model.project_decoder()  # length 1 to the precision of float64
    return model


def two_features(**options) -> SparseAutoencoder:
    """Directions (1, 0) and (.6, .8), read by an encoder that is the identity."""
    model = autoencoder(2, 2, **options)
    with torch.no_grad():
        model.D.copy_(torch.tensor([[1.0, 0.6], [0.0, 0.8]], dtype=torch.float64))
        model.E.copy_(torch.eye(2))
    return model


def step(model: SparseAutoencoder, x: torch.Tensor, penalty: float) -> float:
    """Take one step of gradient descent with the decoder kept at length 1; return the loss."""
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
    keep_unit_norm(model, optimizer)
    loss = autoencoder_loss(x, *model(x), penalty=penalty)
    loss.backward()
    optimizer.step()
    return loss.item()


def close(tensor: torch.Tensor, expected: list) -> None:
    wanted = torch.tensor(expected, dtype=torch.float64)
    torch.testing.assert_close(tensor.detach(), wanted, rtol=1e-9, atol=1e-12)


def test_one_step_with_l1_by_hand():
    # x = (1, 2): f = (1, 2), x_hat = 1 (1, 0) + 2 (.6, .8) = (2.2, 1.6), off by (1.2, -.4)
    model = two_features()
    loss = step(model, torch.tensor([[1.0, 2.0]], dtype=torch.float64), LAMBDA)
    assert loss == pytest.approx(1.44 + 0.16 + LAMBDA * 3)
    # dL/dx_hat = (2.4, -.8). The columns' gradients 1 (2.4, -.8) and 2 (2.4, -.8) lose their parts
    # along (1, 0) and (.6, .8): (0, -.8) and (3.84, -2.88) stay
    close(
        model.D,
        [[1 / 1.0064**0.5, 0.216 / 1.2304**0.5], [0.08 / 1.0064**0.5, 1.088 / 1.2304**0.5]],
    )
    # dL/df = (2.4, .6 * 2.4 - .8 * .8) + lambda = (2.5, .9)
    close(model.b_enc, [-0.25, -0.09])
    close(model.E, [[1 - 0.25, -0.5], [-0.09, 1 - 0.18]])
    # b_dec is added at the end and taken away at the start: (2.4, -.8) - (2.5, .9)
    close(model.b_dec, [0.01, 0.17])


def test_one_step_with_top_k_by_hand():
    # the same x: the second unit alone is kept, x_hat = 2 (.6, .8) = (1.2, 1.6), off by (.2, -.4)
    model = two_features(kind="topk", k=1)
    loss = step(model, torch.tensor([[1.0, 2.0]], dtype=torch.float64), 0.0)
    assert loss == pytest.approx(0.04 + 0.16)
    # dL/dx_hat = (.4, -.8); the second column's gradient (.8, -1.6) keeps (1.28, -.96)
    length = (0.472**2 + 0.896**2) ** 0.5
    close(model.D, [[1.0, 0.472 / length], [0.0, 0.896 / length]])
    # dL/df_2 = .6 * .4 - .8 * .8 = -.4; the first unit learns nothing
    close(model.b_enc, [0.0, 0.04])
    close(model.E, [[1.0, 0.0], [0.04, 1.08]])
    close(model.b_dec, [-0.04, 0.08 - 0.04])


def test_the_loss_is_a_sum_over_a_sample_and_a_mean_over_samples():
    x = torch.tensor([[1.0, 2.0], [0.0, 0.0]])
    x_hat = torch.tensor([[0.0, 2.0], [1.0, 1.0]])
    activations = torch.tensor([[1.0, 0.0, 2.0], [0.5, 0.0, 0.0]])
    assert autoencoder_loss(x, x_hat, activations).item() == pytest.approx((1 + 2) / 2)
    loss = autoencoder_loss(x, x_hat, activations, penalty=2)
    assert loss.item() == pytest.approx((1 + 2 * 3 + 2 + 2 * 0.5) / 2)


@given(
    st.lists(
        st.lists(st.integers(1, 4), min_size=DICTIONARY, max_size=DICTIONARY),
        min_size=1,
        max_size=BATCH,
    ),
    st.integers(1, DICTIONARY),
)
def test_top_k_keeps_exactly_k_and_what_a_stable_sort_puts_first(rows, k):
    kept = top_k(torch.tensor(rows, dtype=torch.float64), k)
    for row, found in zip(rows, kept.tolist(), strict=True):
        order = sorted(range(DICTIONARY), key=lambda i: -row[i])[:k]  # Python's sort is stable
        assert [i for i, value in enumerate(found) if value] == sorted(order)
        assert all(found[i] == row[i] for i in order)


def test_top_k_does_not_hide_nan():
    rows = torch.tensor([[1.0, float("nan"), 2.0], [3.0, 1.0, 2.0]])
    kept = top_k(rows, 1)
    assert kept[0].isnan().any()
    assert kept[1].tolist() == [3.0, 0.0, 0.0]


def test_a_column_of_zeros_cannot_be_projected():
    model = autoencoder()
    with torch.no_grad():
        model.D[:, 4] = 0
    with pytest.raises(ValueError, match="D: expected no column of zeros, got column 4"):
        model.project_decoder()


def test_dead_units_are_those_silent_in_the_whole_window():
    activations = torch.tensor([[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 2.0], [0.0, 3.0, 0.0, 0.0]])
    assert dead_units(activations).tolist() == [True, False, True, False]
    assert dead_units(activations[:1]).tolist() == [True, False, True, True]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"kind": "topk", "k": 12}, ValueError, "k: expected at most 11, .* got 12"),
        ({"kind": "l1", "k": 2}, ValueError, "k: expected None for kind 'l1', got 2"),
    ],
)
def test_bad_choices_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        SparseAutoencoder(**{"d_input": D_INPUT, "d_dictionary": DICTIONARY, **arguments})


def test_bad_vectors_are_named():
    model = autoencoder()
    with pytest.raises(ValueError, match=r"x: expected axes \[..., d_input=5\], got .*4"):
        model(torch.zeros(7, 4, dtype=torch.float64))
    with pytest.raises(ValueError, match="k: expected at most 3"):
        top_k(torch.zeros(2, 3), 4)
    with pytest.raises(ValueError, match="activations"):
        dead_units(torch.zeros(3))


def test_bad_losses_are_named():
    x, activations = torch.zeros(3, 2), torch.zeros(3, 5)
    with pytest.raises(ValueError, match="x_hat: expected axes"):
        autoencoder_loss(x, torch.zeros(3, 4), activations)
    with pytest.raises(ValueError, match=r"activations: expected the leading axes \(3,\) of x"):
        autoencoder_loss(x, x, torch.zeros(2, 5))
