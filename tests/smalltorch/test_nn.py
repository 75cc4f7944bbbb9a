"""Functions, losses, layers and first values of the small torch, against torch's."""

import pytest
import torch

from tests.smalltorch.both import held, same, twice

X = torch.linspace(-3, 4, 35, dtype=torch.float64).reshape(5, 7)
SINGLE = X.float()
CLASSES = torch.tensor([1, 6, 0, -100, 3])


def functional(torch):
    return torch.nn.functional


# ---- Activations

ACTIVATIONS = {
    "relu": {}, "leaky_relu": {"negative_slope": 0.2},
    "gelu": {}, "silu": {}, "softplus": {"beta": 2.0},
    "logsigmoid": {}, "sigmoid": {}, "tanh": {}, "softmax": {"dim": 1}, "log_softmax": {"dim": 0},
}  # fmt: skip


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("x", [X, SINGLE.T, torch.zeros(0, 3), X * 1e3], ids=lambda x: str(x.dtype))
def test_activations(name, x):
    options = ACTIVATIONS[name]
    same(lambda torch, x: getattr(functional(torch), name)(x, **options), x, gradients=True)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_of_integers_and_of_what_is_infinite(name):
    options = ACTIVATIONS[name]
    ends = torch.tensor([torch.inf, -torch.inf, torch.nan, 0.0])
    for x in (torch.arange(5).reshape(5, 1), ends[:, None].expand(4, 2)):
        same(lambda torch, x: getattr(functional(torch), name)(x, **options), x)


@pytest.mark.parametrize("name", ["gelu", "silu", "softplus", "logsigmoid"])
def test_second_derivatives(name):
    same(twice(lambda torch, x: getattr(functional(torch), name)(x)), X)


@pytest.mark.parametrize(
    "lines",
    [
        lambda torch, x: functional(torch).gelu(x, approximate="tanh"),
        lambda torch, x: functional(torch).gelu(x, approximate="x"),
        lambda torch, x: functional(torch).softmax(x, -1, dtype=torch.float32),
        lambda torch, x: functional(torch).relu((x * 1), inplace=True),
        lambda torch, x: functional(torch).relu(x.detach().requires_grad_(), inplace=True),
        lambda torch, x: functional(torch).relu([1.0]),
    ],
)
def test_forms_of_activations(lines):
    same(lines, X)


# ---- Linear maps, tables, padding


@pytest.mark.parametrize(
    "weight, bias",
    [
        ((3, 7), None), ((3, 7), (3,)), ((3, 7), (1,)), ((7,), None), ((3, 5), None),
        ((3, 5), (3,)), ((3, 7), (5,)), ((2, 3, 7), None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("x", [X, X[0], X.reshape(5, 1, 7)], ids=len)
def test_linear(weight, bias, x):
    def lines(torch, x):
        rows = torch.arange(42.0, dtype=x.dtype)
        count = 1
        for size in weight:
            count *= size
        parameters = [rows[:count].reshape(weight)]
        if bias:
            parameters.append(rows[: bias[0]])
        return functional(torch).linear(x, *parameters)

    same(lines, x, gradients=True)


def test_linear_in_two_dtypes():
    for other in ([X[:3]], [X[:3], X[0, :3]], [SINGLE[:3], X[0, :3]]):
        same(lambda torch, x, *other: functional(torch).linear(x, *other), SINGLE, *other)


@pytest.mark.parametrize("rows", [[[1, 4], [0, 4]], 2, [5], [-1], [1.0], [True], [[]]], ids=str)
@pytest.mark.parametrize("padding", [None, 4, -1])
def test_embedding(rows, padding):
    def lines(torch, table):
        places = torch.tensor(rows, dtype=torch.int64 if rows == [[]] else None)
        return functional(torch).embedding(places, table, padding_idx=padding)

    same(lines, X, gradients=True)


@pytest.mark.parametrize(
    "numbers, classes",
    [([1, 3], -1), ([[1], [3]], 5), (2, 4), ([1, 3], 3), ([-1], 3), ([], 3), ([], -1), ([1.0], -1)],
)
def test_one_hot(numbers, classes):
    def lines(torch):
        kind = None if numbers else torch.int64
        return functional(torch).one_hot(torch.tensor(numbers, dtype=kind), classes)

    same(lines)


@pytest.mark.parametrize(
    "pad",
    [
        (1, 2), (1, 0, 0, 2), (-2, 1), (1, -1, 2, 0), (-3, -4), (-4, -4), (), (1,),
        (1, 1, 1, 1, 1, 1), 1, [2, 0],
    ],
    ids=str,
)  # fmt: skip
def test_pad(pad):
    same(lambda torch, x: functional(torch).pad(x, pad, value=0.5), X, gradients=True)
    same(lambda torch, x: functional(torch).pad(x, pad), X.T)


@pytest.mark.parametrize("p", [0, 0.3, 1.0, 1.5])
def test_dropout(p):
    def lines(torch, x):
        torch.manual_seed(5)
        return functional(torch).dropout(x, p), functional(torch).dropout(x, p, training=False)

    same(lines, X, gradients=True)
    same(lines, SINGLE.T)


# ---- Normalization and lengths


@pytest.mark.parametrize("shape", [(7,), [5, 7], (5,), (), 7])
@pytest.mark.parametrize(
    "x", [X, SINGLE, X.half(), torch.ones(2, 5, 7)], ids=lambda x: str(x.dtype)
)
def test_layer_norm(shape, x):
    def lines(torch, x):
        weight = torch.linspace(1, 2, 35, dtype=x.dtype).reshape(5, 7)
        weight = weight[0] if shape == (7,) else weight
        return (
            functional(torch).layer_norm(x, shape),
            functional(torch).layer_norm(x, shape, weight, weight),
            functional(torch).rms_norm(x, shape, weight),
            functional(torch).rms_norm(x, shape, eps=1e-3),
        )

    same(
        lines, x, gradients=x.dtype is torch.float64, limit=1e-4 if x.dtype is torch.float32 else 0
    )


def test_second_derivative_of_layer_norm():
    same(twice(lambda torch, x: functional(torch).layer_norm(x, (7,)).exp()), X, limit=1e-9)


@pytest.mark.parametrize(
    "lines",
    [
        lambda torch, x: functional(torch).layer_norm(x, (7,), torch.ones(6)),
        lambda torch, x: functional(torch).layer_norm(x, (7,), None, torch.ones(6)),
        lambda torch, x: functional(torch).layer_norm(x.long(), (7,)),
        lambda torch, x: functional(torch).rms_norm(x, (6,)),
        lambda torch, x: functional(torch).normalize(x),
        lambda torch, x: functional(torch).normalize(x, p=1, dim=0),
        lambda torch, x: functional(torch).normalize(x[0]),
        lambda torch, x: functional(torch).normalize(x * 0, dim=-1),
    ],
)
def test_norms(lines):
    same(lines, X, gradients=True, limit=1e-9)


# ---- Losses


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("smoothing", [0.0, 0.1, 1.5])
@pytest.mark.parametrize("weighted", [False, True])
def test_cross_entropy(reduction, smoothing, weighted):
    def lines(torch, x, target):
        options = {"weight": torch.linspace(1, 2, 7, dtype=x.dtype)} if weighted else {}
        options |= {"reduction": reduction, "label_smoothing": smoothing}
        return functional(torch).cross_entropy(x, target, **options)

    same(lines, X, CLASSES, gradients=True)
    same(lines, X, X.softmax(-1).flip(0), gradients=True)
    same(lines, X.T[None], CLASSES[None], gradients=True)
    same(lines, X[0], CLASSES[0], gradients=True)
    if not smoothing:  # torch mends no row of one class there
        same(lines, X[0], CLASSES[:1])


@pytest.mark.parametrize(
    "target",
    [
        CLASSES[:3], CLASSES.float(), CLASSES.int(), CLASSES + 3, CLASSES[:, None], CLASSES[None],
        X.long(), torch.full((5,), -100), torch.tensor(1), torch.tensor([True] * 5),
    ],
    ids=lambda target: f"{target.dtype}{tuple(target.shape)}",
)  # fmt: skip
def test_classes_that_do_not_fit(target):
    for name in ("cross_entropy", "nll_loss"):
        same(lambda torch, x, t, name=name: getattr(functional(torch), name)(x, t), X, target)
        wide = X[None].expand(5, 5, 7)
        same(lambda torch, x, t, name=name: getattr(functional(torch), name)(x, t), wide, target)


@pytest.mark.filterwarnings("ignore:reduction")
@pytest.mark.parametrize("reduction", ["none", "mean", "sum", "batchmean"])
def test_losses(reduction):
    def lines(torch, x, y):
        F = functional(torch)
        log_p, q = x.log_softmax(-1), y.softmax(-1)
        losses = [F.kl_div(log_p, q, reduction=reduction)]
        losses.append(F.kl_div(log_p, q.log(), reduction=reduction, log_target=True))
        if reduction != "batchmean":
            losses.append(F.mse_loss(x, y, reduction=reduction))
        return losses

    same(lines, X, X.flip(1) * 0.7, gradients=True, limit=1e-9)


@pytest.mark.filterwarnings("ignore:Using a target size")
@pytest.mark.parametrize(
    "lines",
    [
        lambda torch, x: functional(torch).mse_loss(x, x.long()),
        lambda torch, x: functional(torch).mse_loss(x.long(), x.long()),
        lambda torch, x: functional(torch).mse_loss(x, x[:, :3]),
    ],
)
def test_losses_that_do_not_fit(lines):
    same(lines, X)


# ---- Attention


@pytest.mark.parametrize(
    "options",
    [
        {}, {"is_causal": True}, {"scale": 0.3}, {"attn_mask": "bool"}, {"attn_mask": "float"},
        {"attn_mask": "empty row"}, {"attn_mask": "int"}, {"attn_mask": "small"},
        {"attn_mask": [[True]]}, {"attn_mask": "bool", "is_causal": True},
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("keys", [5, 3])
def test_scaled_dot_product_attention(options, keys):
    def lines(torch, q, k, v):
        reads = torch.ones(5, keys).tril(1).bool()
        masks = {
            "bool": reads, "float": reads.to(q.dtype), "int": reads.long(), "small": reads[:2, :2],
            "empty row": reads & (torch.arange(5) != 2)[:, None],
        }  # fmt: skip
        mask = options.get("attn_mask")
        given = {"attn_mask": masks[mask]} if isinstance(mask, str) else {}
        return functional(torch).scaled_dot_product_attention(q, k, v, **{**options, **given})

    q = torch.stack([X, X.flip(0)]).sin()
    same(lines, q, q[:, :keys].cos(), q[:, :keys, :3], gradients=True)


@pytest.mark.parametrize(
    "shapes",
    [
        [(1, 4, 3, 5), (1, 2, 3, 5), (1, 2, 3, 5)], [(1, 4, 3, 5), (1, 3, 3, 5), (1, 3, 3, 5)],
        [(2, 3, 5), (2, 3, 4), (2, 3, 5)], [(2, 3, 5), (2, 3, 5), (2, 2, 5)], [(5,), (5,), (5,)],
        [(2, 3, 5), (1, 3, 5), (1, 3, 5)], [(2, 0, 5), (2, 3, 5), (2, 3, 5)],
        [(2, 3, 5), (2, 0, 5), (2, 0, 5)],
    ],
    ids=str,
)  # fmt: skip
def test_shapes_of_attention(shapes):
    counts = [torch.Size(shape).numel() for shape in shapes]
    tensors = [
        torch.linspace(-1, 1, count).reshape(shape)
        for count, shape in zip(counts, shapes, strict=True)
    ]
    for shared in (False, True)[: 1 + (len(shapes[0]) == 4)]:
        same(
            lambda torch, *tensors, shared=shared: functional(torch).scaled_dot_product_attention(
                *tensors, enable_gqa=shared
            ),
            *tensors,
        )


# ---- Modules


@pytest.mark.parametrize(
    "lines",
    [
        lambda nn, torch: nn.Linear(3, 2).foo,
        lambda nn, torch: setattr(nn.Linear(3, 2), "weight", 3),
        lambda nn, torch: setattr(nn.Linear(3, 2), "weight", torch.ones(2)),
        lambda nn, torch: setattr(nn.Sequential(nn.Tanh()), "0", 3),
        lambda nn, torch: nn.Module()(1),
        lambda nn, torch: nn.Linear(3, 2)(torch.ones(4)),
        lambda nn, torch: nn.Sequential(nn.Tanh())[1],
        lambda nn, torch: nn.Dropout(1.5),
        lambda nn, torch: type(
            "Own", (nn.Module,), {"__init__": lambda self: setattr(self, "a", nn.Tanh())}
        )(),
        lambda nn, torch: nn.Parameter(torch.arange(3.0)),
        lambda nn, torch: nn.Transformer.generate_square_subsequent_mask(3),
        lambda nn, torch: nn.CrossEntropyLoss(ignore_index=1)(
            torch.eye(3), torch.tensor([0, 1, 2])
        ),
        lambda nn, torch: nn.Softmax(-1)(torch.ones(2)),
    ],
)
def test_modules(lines):
    same(lambda torch: lines(torch.nn, torch))


def test_pad_sequence():
    def lines(torch, x):
        pad_sequence = torch.nn.utils.rnn.pad_sequence
        rows = [x[:2], x[:4], x[:1]]
        return (
            pad_sequence(rows), pad_sequence(rows, batch_first=True, padding_value=-1.0),
            pad_sequence(rows, True, padding_side="left"), pad_sequence(x),
        )  # fmt: skip

    same(lines, X, gradients=True)
    same(lambda torch, x: torch.nn.utils.rnn.pad_sequence([x, x[:2, :2]]), X)
    same(lambda torch, x: torch.nn.utils.rnn.pad_sequence([]), X)
    same(lambda torch, x: torch.nn.utils.rnn.pad_sequence([[1], [2]]), X)


@held(X)
def test_an_embedding_of_a_table_draws_nothing(torch, x):
    torch.manual_seed(0)
    layer = torch.nn.Embedding.from_pretrained(x)
    return layer(torch.tensor([2, 0])), layer.weight.requires_grad, torch.rand(3)
