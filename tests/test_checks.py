"""Each check names the argument, the value and what was expected, and passes what is right."""

from collections.abc import Sequence

import pytest
import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from bottomup.checks import (
    check_choice,
    check_divisor,
    check_generator,
    check_integer,
    check_mask,
    check_number,
    check_tensor,
    check_token_ids,
    checked,
)


def test_check_tensor_refuses_other_types_and_integer_tensors():
    with pytest.raises(TypeError, match="key: expected a torch.Tensor, got list"):
        check_tensor("key", [1.0])
    with pytest.raises(
        TypeError, match="key: expected a floating-point tensor, got dtype torch.int64"
    ):
        check_tensor("key", torch.zeros(2, dtype=torch.int64), floating=True)


def test_check_token_ids_names_the_worst_number():
    ids = torch.tensor([[1, 7]])
    check_token_ids("source", ids, "batch source", vocabulary=8)
    with pytest.raises(ValueError, match=r"source: expected token numbers in \[0, 7\), got 7"):
        check_token_ids("source", ids, "batch source", vocabulary=7)
    with pytest.raises(ValueError, match="got -1"):
        check_token_ids("source", -ids[:, :1], "batch source", vocabulary=8)
    with pytest.raises(TypeError, match="dtype torch.int64, got torch.float32"):
        check_token_ids("source", ids.float(), "batch source", vocabulary=8)
    with pytest.raises(ValueError, match=r"non-empty axes \[batch, source\], got \(2,\)"):
        check_token_ids("source", ids[0], "batch source", vocabulary=8)


@pytest.mark.parametrize("shape", [(2, 3, 5), (1, 3, 5), (3, 5), (5,), (2, 1, 5), ()])
def test_check_mask_passes_what_broadcasts(shape):
    check_mask("mask", torch.ones(shape, dtype=torch.bool), (2, 3, 5))


@pytest.mark.parametrize("shape", [(3, 3, 5), (2, 5, 3), (7,), (1, 2, 3, 5)])
def test_check_mask_refuses_what_does_not_broadcast(shape):
    with pytest.raises(ValueError, match=r"mask: expected a shape that broadcasts to \(2, 3, 5\)"):
        check_mask("mask", torch.ones(shape, dtype=torch.bool), (2, 3, 5))


def test_check_mask_tells_how_to_convert_a_float_mask():
    additive = torch.tensor([0.0, -torch.inf])
    with pytest.raises(TypeError, match="convert an additive mask of 0 and -inf with `mask == 0`"):
        check_mask("mask", additive, (2,))
    assert (additive == 0).tolist() == [True, False]


def at_least_3(n: object) -> None:
    check_integer("n", n, at_least=3)


def number(x: object) -> None:
    check_number("rate", x, at_least=0)


def choice(name: object) -> None:
    check_choice("score", name, {"dot": 1, "general": 2})  # a list is no key of a dict


@pytest.mark.parametrize(
    ("check", "good", "bad", "error", "message"),
    [
        (at_least_3, 3, [2], ValueError, "n: expected an integer of at least 3, got 2"),
        (at_least_3, 3, [True, 3.0, "3"], TypeError, "n: expected an integer"),
        (number, 0.5, [True, "1", None], TypeError, "rate: expected a number, got"),
        (choice, "dot", ["cosine", ["dot"]], ValueError, "score: .* 'dot', 'general', got"),
        (
            lambda x: check_generator("generator", x),
            *(torch.Generator(), [7], TypeError, "generator: .* torch.Generator, got int"),
        ),
        (
            lambda n: check_divisor("num_heads", n, "d_model", 12),
            *(3, [5], ValueError, "num_heads: expected a divisor of d_model=12, got 5"),
        ),
    ],
)
def test_a_check_passes_what_is_right_and_names_what_is_not(check, good, bad, error, message):
    check(good)
    for value in bad:
        with pytest.raises(error, match=message):
            check(value)


@pytest.mark.parametrize(
    ("bounds", "good", "bad"),
    [
        ({"above": 0}, 0.1, 0),
        ({"at_least": 0}, 0, -0.1),
        ({"below": 1}, 0.9, 1),
        ({"at_most": 1}, 1, 1.1),
        ({}, -5, float("nan")),
    ],
)
def test_check_number_holds_its_bounds(bounds, good, bad):
    check_number("rate", good, **bounds)
    with pytest.raises(ValueError, match="rate: expected a number"):
        check_number("rate", bad, **bounds)


# ---- checked: what the annotations say


Scores = Float[Tensor, "*leading query key"]


@checked
def scores(
    query: Float[Tensor, "*leading query d_key"],
    key: Float[Tensor, "*leading key d_key"],
    mask: Bool[Tensor, "..."] | None = None,
    generator: torch.Generator | None = None,
) -> Scores:
    return query @ key.transpose(-2, -1)


QUERY, KEY = torch.zeros(2, 3, 5), torch.zeros(2, 7, 5)
MASK = torch.ones(3, 7, dtype=torch.bool)


@pytest.mark.parametrize("call", [(QUERY, KEY), (QUERY[0], KEY[0], None), (QUERY, KEY, MASK)])
def test_checked_passes_what_fits(call):
    assert scores(*call).shape == scores.__wrapped__(*call).shape == (*call[0].shape[:-1], 7)
    assert scores.__name__ == "scores"


@pytest.mark.parametrize(
    "call, error, message",
    [
        (([1.0], KEY), TypeError, "query: expected a torch.Tensor, got list"),
        ((None, KEY), TypeError, "query: expected a torch.Tensor, got NoneType"),
        ((QUERY.int(), KEY), TypeError, "query: expected a floating-point tensor, got dtype torch"),
        ((QUERY, KEY.double()), TypeError, "key: expected the dtype torch.float32 of query, got"),
        ((QUERY[0, 0], KEY), ValueError, r"query: expected axes \[\.\.\., query, d_key\], got"),
        ((QUERY, KEY[..., :4]), ValueError, r"key: expected axes \[\.\.\., key, d_key=5\], got"),
        ((QUERY, KEY[:, :0]), ValueError, r"key must not be empty, got shape \(2, 0, 5\)"),
        ((QUERY, KEY[:1]), ValueError, r"key: expected the leading axes \(2,\) of query, got"),
        ((QUERY, KEY.to("meta")), ValueError, "key: expected the device cpu of query, got meta"),
        ((QUERY, KEY, MASK.float()), TypeError, "mask: expected a boolean mask .* `mask == 0`"),
        ((QUERY, KEY, MASK.to("meta")), ValueError, "mask: expected the device cpu of query"),
        ((QUERY, KEY, None, 3), TypeError, "generator: expected a torch.Generator, got int"),
    ],
)
def test_checked_names_what_does_not_fit(call, error, message):
    scores(QUERY, KEY)
    with pytest.raises(error, match=message):
        scores(*call)


def test_checked_reads_arguments_given_by_name_and_leaves_missing_ones_to_python():
    assert scores(key=KEY, query=QUERY).shape == (2, 3, 7)
    with pytest.raises(ValueError, match="key: expected axes"):
        scores(QUERY, key=KEY[..., :4])
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'key'"):
        scores(QUERY)


def test_a_generator_lies_where_the_tensors_lie():
    assert scores(QUERY, KEY, generator=torch.Generator()).shape == (2, 3, 7)
    elsewhere = QUERY.to("meta"), KEY.to("meta")
    with pytest.raises(ValueError, match="generator: expected the device meta of query, got cpu"):
        scores(*elsewhere, generator=torch.Generator())


@pytest.mark.parametrize(
    "axes, passing, refused, wanted",
    [
        ("n 2", (7, 2), (7, 3), "n, 2"),
        ("n #n", (7, 1), (7, 3), "n, #n"),
        ("n n", (7, 7), (7, 3), "n, n"),
        ("a b a+b", (2, 3, 5), (2, 3, 6), "a, b, a.b"),
        ("... a 3", (7, 7, 5, 3), (7, 7, 5, 4), "..., a, 3"),
    ],
)
def test_checked_reads_every_kind_of_axis(axes, passing, refused, wanted):
    def function(x):
        return x.shape

    function.__annotations__ = {"x": Float[Tensor, axes]}
    shape = checked(function)
    assert shape(torch.zeros(passing)) == passing
    with pytest.raises(ValueError, match=r"x: expected axes \[" + wanted):
        shape(torch.zeros(refused))


def test_checked_knows_dtypes_of_one_kind():
    @checked
    def pick(index: Int64[Tensor, " kept"], ready: Bool[Tensor, " kept"]) -> int:
        return len(index)

    assert pick(torch.tensor([2]), torch.tensor([True])) == 1
    with pytest.raises(TypeError, match="index: expected dtype torch.int64, got torch.int32"):
        pick(torch.tensor([2]).int(), torch.tensor([True]))
    with pytest.raises(ValueError, match=r"ready: expected axes \[kept=1\], got shape \(2,\)"):
        pick(torch.tensor([2]), torch.tensor([True, False]))


class Reader(nn.Module):
    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.d_model = d_model
        self.norm = nn.Identity()  # a child without parameters
        self.map = nn.Linear(d_model, 3)

    @checked
    def forward(self, x: Float[Tensor, "*leading d_model"]) -> Tensor:
        return self.map(x)


def test_a_module_gives_its_sizes_and_the_kind_of_its_parameters():
    reader, x = Reader(5), torch.zeros(2, 5)
    assert reader(x).shape == (2, 3)
    with pytest.raises(
        ValueError, match=r"x: expected axes \[\.\.\., d_model=5\], got shape \(2, 4\)"
    ):
        reader(x[:, :4])
    with pytest.raises(TypeError, match="x: expected the dtype torch.float32 of map.weight, got"):
        reader(x.double())
    assert reader.double()(x.double()).shape == (2, 3)
    with pytest.raises(TypeError, match="x: expected the dtype torch.float64 of map.weight, got"):
        reader(x)
    assert Reader(4)(x[:, :4]).shape == (2, 3)  # another module, another size


def test_whoever_calls_is_told_each_time():
    @checked
    def inner(x: Float[Tensor, "n 2"]) -> int:
        return len(x)

    @checked
    def outer(x: Float[Tensor, "n d"]) -> int:
        return inner(x)

    for _ in range(2):
        assert outer(torch.zeros(7, 2)) == 7
        with pytest.raises(ValueError, match=r"x: expected axes \[n, 2\], got shape \(7, 5\)"):
            outer(torch.zeros(7, 5))


def test_each_of_several_tensors_is_named_by_its_number():
    @checked
    def join(parts: Sequence[Float[Tensor, "*leading n"]]) -> int:
        return len(parts)

    assert join([torch.zeros(2, 3), torch.zeros(2, 3)]) == join(parts=(KEY, KEY)) == 2
    with pytest.raises(ValueError, match=r"parts\[1\]: expected axes \[\.\.\., n=3\], got shape"):
        join([torch.zeros(2, 3), torch.zeros(2, 5)])
    with pytest.raises(TypeError, match=r"parts\[0\]: expected a torch.Tensor, got float"):
        join([1.0])
