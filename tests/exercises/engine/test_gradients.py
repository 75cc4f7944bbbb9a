import pytest
import torch

from bottomup.exercises.engine.compare import difference
from bottomup.exercises.engine.gradients import Differentiated, differentiate, wants_gradients
from bottomup.exercises.engine.show import show


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, requires_grad=True)


def test_inputs_want_gradients_where_a_tensor_requires_one():
    assert wants_gradients({"x": leaf(1.0), "n": 2})
    assert not wants_gradients({"x": torch.ones(2), "n": 2})


def test_the_elements_of_the_value_are_weighted_by_their_number():
    got = differentiate(lambda x, y: x * y, {"x": leaf(2.0, 3.0), "y": torch.tensor([5.0, 7.0])})
    assert got.value.tolist() == [10.0, 21.0]
    assert list(got.gradients) == ["x"]
    assert got.gradients["x"].tolist() == [5.0 / 2, 7.0]


def test_an_input_that_the_value_does_not_use_has_no_gradient():
    got = differentiate(lambda x, y: 2 * x, {"x": leaf(1.0), "y": leaf(1.0)})
    assert got.gradients["y"] is None
    assert got.gradients["x"].tolist() == [2.0]


@pytest.mark.parametrize(
    "answer", [lambda x: x.detach(), lambda x: "text", lambda x: None, lambda x: x > 0]
)
def test_a_value_without_history_has_no_gradient(answer):
    got = differentiate(answer, {"x": leaf(1.0)})
    assert got.gradients == {"x": None}
    assert got.error == ""


def test_gradients_are_computed_where_they_are_switched_off_outside():
    with torch.no_grad():
        assert differentiate(lambda x: 2 * x, {"x": leaf(1.0)}).gradients["x"].tolist() == [2.0]


def test_an_input_may_be_written_in_place():
    x = leaf(1.0)
    assert differentiate(lambda x: x.mul_(2), {"x": x}).gradients["x"].tolist() == [2.0]
    assert x.tolist() == [1.0]


def test_what_autograd_refuses_is_told_in_a_sentence():
    def overwrite(x):
        y = x.exp()
        return y.mul_(2)

    right = differentiate(lambda x: 2 * x.exp(), {"x": leaf(1.0)})
    got = differentiate(overwrite, {"x": leaf(1.0)})
    assert "modified by an inplace operation" in got.error
    assert difference(got, right).startswith("The values are right, but have no gradient (one of")
    assert difference(got, got) is None


def test_values_are_compared_before_gradients():
    right = Differentiated(torch.ones(1), {"x": torch.ones(1)})
    assert difference(Differentiated(torch.ones(1), {"x": torch.ones(1)}), right) is None
    both = Differentiated(torch.zeros(1), {"x": torch.zeros(1)})
    assert difference(both, right) == "The value differs by 1."
    nan = Differentiated(torch.ones(1), {"x": torch.full((1,), torch.nan)})
    assert difference(nan, right) == (
        "The values are right, but not the gradient of x: "
        "The value is NaN, where a number is expected."
    )
    assert difference(nan, nan) is None
    assert difference(torch.ones(1), right) is not None


def test_a_lost_gradient_is_told_before_the_dtype_that_comes_with_it():
    def right(x):
        return x.square().sum()

    inputs = {"x": leaf(2.0, 3.0).detach().double().requires_grad_()}
    expected = differentiate(right, inputs)
    anew = differentiate(lambda x: torch.tensor(right(x).item()), inputs)
    assert "no gradient leads back from them to x" in difference(anew, expected)
    wrong = differentiate(lambda x: torch.tensor(right(x).item() + 1), inputs)
    assert "dtype torch.float32" in difference(wrong, expected)
    narrow = differentiate(lambda x: right(x).float(), inputs)
    assert "dtype torch.float32" in difference(narrow, expected)


def test_gradients_are_shown_below_the_value():
    got = Differentiated(torch.ones(1), {"x": torch.zeros(1), "y": None})
    assert show(got) == (
        "float32 (1,)\n[1.]\ngradient of x: float32 (1,)\n[0.]\ngradient of y: none"
    )
