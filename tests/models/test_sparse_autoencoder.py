import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bottomup.models import SparseAutoencoder, autoencoder_loss, dead_units, top_k
from bottomup.training import keep_unit_norm
from tests.drawn import global_seed, seeded

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


def test_top_k_gives_ties_to_the_lower_index():
    rows = torch.tensor(
        [[1.0, 3.0, 2.0, 3.0, 3.0], [2.0, 2.0, 2.0, 2.0, 2.0], [-1.0, 5.0, -2.0, -1.0, -3.0]]
    )
    expected = [[0.0, 3, 0, 3, 0], [2.0, 2, 0, 0, 0], [-1.0, 5, 0, 0, 0]]
    assert top_k(rows, 2).tolist() == expected
    assert torch.equal(top_k(rows, 5), rows)


def test_top_k_chooses_for_each_sample_never_over_the_batch():
    # the two largest numbers of the batch stand in one row
    rows = torch.tensor([[9.0, 8.0, 7.0], [0.1, 0.3, 0.2]])
    assert top_k(rows, 1).tolist() == [[9.0, 0.0, 0.0], [0.0, pytest.approx(0.3), 0.0]]


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


def test_a_kept_unit_with_a_negative_number_is_not_active():
    model = two_features(kind="topk", k=2)
    activations = model.encode(torch.tensor([[3.0, -1.0]], dtype=torch.float64))
    assert activations.tolist() == [[3.0, 0.0]]


@pytest.mark.parametrize("options", [{"kind": "l1"}, {"kind": "topk", "k": 3}])
def test_forward_step_by_step(options, device):
    model = autoencoder(**options).to(device)
    with torch.no_grad():
        for parameter in (model.b_enc, model.b_dec):
            parameter.uniform_(-1, 1, generator=torch.Generator(device).manual_seed(1))
    x = torch.randn(BATCH, 3, D_INPUT, dtype=torch.float64, device=device)
    x_hat, activations = model(x)
    assert activations.shape == (BATCH, 3, DICTIONARY)
    for row in range(BATCH):
        numbers = model.E @ (x[row, 1] - model.b_dec) + model.b_enc
        if model.k is not None:
            numbers = numbers.where(numbers >= numbers.sort().values[-model.k], 0.0)
        f = numbers.clamp_min(0)
        torch.testing.assert_close(activations[row, 1], f)
        rebuilt = sum(f[j] * model.directions[j] for j in range(DICTIONARY)) + model.b_dec
        torch.testing.assert_close(x_hat[row, 1], rebuilt)


def test_at_the_start_the_encoder_is_the_transpose_of_unit_directions():
    model = autoencoder()
    close(model.directions.norm(dim=1), [1.0] * DICTIONARY)
    torch.testing.assert_close(model.E, model.directions)
    assert not model.b_enc.any() and not model.b_dec.any()


@pytest.mark.parametrize("options", [{"kind": "l1"}, {"kind": "topk", "k": 3}])
def test_after_a_step_the_decoder_columns_have_length_one(options):
    model = autoencoder(**options)
    before = model.directions.clone()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.3)
    keep_unit_norm(model, optimizer)
    x = torch.randn(31, D_INPUT, dtype=torch.float64, generator=seeded(2))
    for _step in range(3):
        optimizer.zero_grad()
        autoencoder_loss(x, *model(x), penalty=LAMBDA).backward()
        optimizer.step()
        close(model.directions.norm(dim=1), [1.0] * DICTIONARY)
    assert not torch.allclose(model.directions, before)


def test_the_gradient_that_is_left_is_orthogonal_to_the_columns():
    model = autoencoder()
    x = torch.randn(31, D_INPUT, dtype=torch.float64, generator=seeded(2))
    autoencoder_loss(x, *model(x)).backward()
    assert (model.D.grad * model.D).sum(dim=0).abs().max() > 0.1
    model.remove_gradient_along_directions()
    assert (model.D.grad * model.D).sum(dim=0).abs().max() < 1e-12
    assert model.D.grad.norm() > 0.1


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
        ({"kind": "topk", "k": 0}, ValueError, "k: expected an integer of at least 1, got 0"),
        ({"kind": "topk"}, TypeError, "k: expected an integer, got None"),
        ({"kind": "topk", "k": 2.0}, TypeError, "k: expected an integer, got 2.0"),
        ({"kind": "l1", "k": 2}, ValueError, "k: expected None for kind 'l1', got 2"),
        ({"kind": "gated"}, ValueError, "kind: expected one of 'l1', 'topk', got 'gated'"),
        ({"d_input": 0}, ValueError, "d_input: expected an integer of at least 1, got 0"),
        ({"d_dictionary": 0}, ValueError, "d_dictionary: expected an integer of at least 1, got 0"),
    ],
)
def test_bad_choices_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        SparseAutoencoder(**{"d_input": D_INPUT, "d_dictionary": DICTIONARY, **arguments})


def test_bad_vectors_are_named():
    model = autoencoder()
    with pytest.raises(ValueError, match=r"x: expected axes \[..., d_input=5\], got .*4"):
        model(torch.zeros(7, 4, dtype=torch.float64))
    with pytest.raises(TypeError, match="x: expected a floating-point tensor"):
        model(torch.zeros(7, 5, dtype=torch.int64))
    with pytest.raises(ValueError, match=r"activations: expected axes \[..., d_dictionary=11\]"):
        model.decode(torch.zeros(7, 10, dtype=torch.float64))
    with pytest.raises(TypeError, match="x: expected the dtype torch.float64 of D"):
        model(torch.zeros(7, 5))
    with pytest.raises(TypeError, match="activations: expected the dtype torch.float64 of D"):
        model.decode(torch.zeros(7, 11))
    with pytest.raises(ValueError, match="k: expected at most 3"):
        top_k(torch.zeros(2, 3), 4)
    with pytest.raises(ValueError, match="activations"):
        dead_units(torch.zeros(3))


def test_bad_losses_are_named():
    x, activations = torch.zeros(3, 2), torch.zeros(3, 5)
    with pytest.raises(ValueError, match=r"penalty: expected a number >= 0 and <= 3\S+, got -0.1"):
        autoencoder_loss(x, x, activations, penalty=-0.1)
    with pytest.raises(ValueError, match="x_hat: expected axes"):
        autoencoder_loss(x, torch.zeros(3, 4), activations)
    with pytest.raises(ValueError, match=r"activations: expected the leading axes \(3,\) of x"):
        autoencoder_loss(x, x, torch.zeros(2, 5))
