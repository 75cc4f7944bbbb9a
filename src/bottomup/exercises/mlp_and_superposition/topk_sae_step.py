"""Exercise: one step of a TopK autoencoder: project the decoder, encode, rebuild."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.mlp_and_superposition.topk_sae_step_choice import FEW, STRONG_AND_WEAK
from bottomup.exercises.mlp_and_superposition.topk_sae_step_mistakes import MISCONCEPTIONS, SQUARE
from bottomup.exercises.mlp_and_superposition.topk_sae_step_parts import Parts
from bottomup.exercises.named_tensors import compare_named
from bottomup.i18n import _

STUB = '''\
def topk_step(x, W_enc, b_enc, W_dec, b_dec, k):
    """Project the decoder, then encode and rebuild.

    Give every column of W_dec the length 1. Then
    codes = ReLU(TopK(W_enc (x - b_dec) + b_enc)), where TopK keeps the k
    largest numbers of each sample and sets the others to zero, and
    reconstruction = W_dec codes + b_dec.

    x [sample, d_input], W_enc [dictionary, d_input], b_enc [dictionary],
    W_dec [d_input, dictionary], b_dec [d_input]. No column of W_dec is
    zero; no two positive numbers of a sample are equal.
    Returns (codes, reconstruction, W_dec): [sample, dictionary],
    [sample, d_input], and W_dec with its new lengths.
    """
    ...
'''


def topk_step(
    x: torch.Tensor, W_enc: torch.Tensor, b_enc: torch.Tensor,
    W_dec: torch.Tensor, b_dec: torch.Tensor, k: int,
) -> tuple[torch.Tensor, ...]:  # fmt: skip
    W_dec = W_dec / W_dec.norm(dim=0)
    activations = torch.relu((x - b_dec) @ W_enc.T + b_enc)
    largest = activations.topk(k)  # of each sample: along the last axis
    codes = torch.zeros_like(activations).scatter(1, largest.indices, largest.values)
    return codes, codes @ W_dec.T + b_dec, W_dec


def with_a_threshold(
    x: Tensor, W_enc: Tensor, b_enc: Tensor, W_dec: Tensor, b_dec: Tensor, k: int
) -> Parts:
    W_dec = torch.nn.functional.normalize(W_dec, dim=0)
    scores = torch.nn.functional.linear(x - b_dec, W_enc, b_enc)
    smallest_kept = scores.sort(dim=-1, descending=True).values[:, k - 1 : k]
    codes = scores.masked_fill(scores < smallest_kept, 0).clamp(min=0)
    return codes, torch.nn.functional.linear(codes, W_dec, b_dec), W_dec


def with_loops(
    x: Tensor, W_enc: Tensor, b_enc: Tensor, W_dec: Tensor, b_dec: Tensor, k: int
) -> Parts:
    directions = [column / column.square().sum().sqrt() for column in W_dec.T]
    codes, rebuilt = x.new_zeros(len(x), len(W_enc)), []
    for row, sample in enumerate(x):
        scores = W_enc @ (sample - b_dec) + b_enc
        vector = b_dec.clone()
        for j in sorted(range(len(scores)), key=lambda j: -float(scores[j]))[:k]:
            codes[row, j] = max(float(scores[j]), 0.0)
            vector += codes[row, j] * directions[j]
        rebuilt.append(vector)
    return codes, torch.stack(rebuilt), torch.stack(directions, dim=1)


def with_einsum(
    x: Tensor, W_enc: Tensor, b_enc: Tensor, W_dec: Tensor, b_dec: Tensor, k: int
) -> Parts:
    W_dec = W_dec / torch.einsum("id,id->d", W_dec, W_dec).sqrt()
    scores = torch.einsum("si,di->sd", x - b_dec, W_enc) + b_enc
    rank = scores.argsort(dim=1, descending=True).argsort(dim=1)
    codes = torch.where((rank < k) & (scores > 0), scores, 0)
    return codes, torch.einsum("sd,id->si", codes, W_dec) + b_dec, W_dec


def with_the_bias_multiplied_out(
    x: Tensor, W_enc: Tensor, b_enc: Tensor, W_dec: Tensor, b_dec: Tensor, k: int
) -> Parts:
    W_dec = W_dec / torch.linalg.vector_norm(W_dec, dim=0, keepdim=True)
    scores = x @ W_enc.T + (b_enc - W_enc @ b_dec)
    kept = torch.zeros_like(scores, dtype=torch.bool)
    kept[torch.arange(len(x))[:, None], scores.topk(k, dim=1).indices] = True
    codes = (scores * kept).relu()
    return codes, b_dec + (W_dec @ codes.T).T, W_dec


def _hand(generator: torch.Generator) -> Inputs:
    # without b_enc unit 1 would be kept, with it unit 2; its direction is (.6, .8)
    return {
        "x": torch.tensor([[3.0, 1.0]]),
        "W_enc": torch.tensor([[1.0, 0.0], [0.0, 1.0], [-3.0, -1.0]]),
        "b_enc": torch.tensor([0.0, 4.0, 0.0]),
        "W_dec": torch.tensor([[2.0, 3.0, 0.0], [0.0, 4.0, 0.5]]),
        "b_dec": torch.tensor([1.0, 0.0]),
        "k": 1,
    }


def _strong_and_weak(generator: torch.Generator) -> Inputs:
    return {
        "x": torch.tensor([[8.0, 5.0], [2.0, 1.0]]),
        "W_enc": torch.eye(2),
        "b_enc": torch.tensor([-0.5, 0.75]),
        "W_dec": torch.tensor([[3.0, -4.0], [4.0, 3.0]]),
        "b_dec": torch.tensor([1.0, -1.0]),
        "k": 1,
    }


def _few(generator: torch.Generator) -> Inputs:
    return {
        "x": torch.tensor([[2.0, 1.0]]),
        "W_enc": torch.tensor([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]]),
        "b_enc": torch.tensor([0.0, 0.0, -0.5]),
        "W_dec": torch.tensor([[2.0, 1.0, 0.0], [0.0, 1.0, 4.0]]),
        "b_dec": torch.tensor([1.0, 1.0]),
        "k": 2,
    }


def _random(
    samples: int,
    d_input: int,
    dictionary: int,
    k: int,
    *,
    shift: float = 0.0,
    dtype: torch.dtype = torch.float32,
) -> Callable[[torch.Generator], Inputs]:
    """Inputs with a mean of their own, biases that matter, columns longer and shorter than 1."""

    def make(generator: torch.Generator) -> Inputs:
        def draw(*shape: int) -> Tensor:
            return torch.randn(shape, generator=generator, dtype=dtype)

        b_dec = draw(d_input)
        lengths = torch.linspace(0.4, 2.5, dictionary, dtype=dtype)
        return {
            "x": draw(samples, d_input) + b_dec,
            "W_enc": draw(dictionary, d_input),
            "b_enc": draw(dictionary) + shift,
            "W_dec": draw(d_input, dictionary) * lengths / d_input**0.5,
            "b_dec": b_dec,
            "k": k,
        }

    return make


CASES = (
    Case(_("one sample, three units, one kept"), _hand),
    Case(STRONG_AND_WEAK, _strong_and_weak),
    Case(_("two of seven units for each of five samples"), _random(5, 3, 7, 2), seed=1),
    Case(SQUARE, _random(3, 5, 5, 2), seed=2),
    Case(FEW, _few),
    Case(_("many kept, few positive"), _random(5, 2, 7, 5, shift=-0.3), seed=3),
    Case(_("as many samples as units"), _random(7, 3, 7, 3), seed=4),
    Case(_("as many units kept as there are samples"), _random(3, 2, 11, 3), seed=5),
    Case(_("a dictionary smaller than the input"), _random(5, 7, 3, 1), seed=6),
    Case(_("every unit may be kept"), _random(2, 3, 5, 5), seed=7),
    Case(_("one sample"), _random(1, 5, 11, 3), seed=8),
    Case(_("float64"), _random(3, 2, 5, 2, dtype=torch.float64), seed=9),
)

TOPK_SAE_STEP = Exercise(
    slug="topk-sae-step",
    title=_("One step of a TopK autoencoder"),
    chapter="04",
    difficulty=3,
    minutes=15,
    stub=STUB,
    hints=(
        _(
            "Which axis of W_dec counts units? The other one holds the numbers of one direction, "
            "and its length is the norm along that other axis."
        ),
        _(
            "`x - b_dec` goes in, and b_dec is added again at the end. Samples are rows, so "
            "W_enc x is `x @ W_enc.T`, and W_dec codes is `codes @ W_dec.T`."
        ),
        _(
            "`largest = scores.topk(k)` gives `values` and `indices`, [sample, k]. Put the values "
            "back at their places in a tensor of zeros: `scatter(1, indices, values)`."
        ),
        _(
            "A number that is kept may still be negative. The ReLU sets it to zero, before TopK "
            "or after it."
        ),
    ),
    solution=topk_step,
    alternatives=(
        with_a_threshold,
        with_loops,
        with_einsum,
        with_the_bias_multiplied_out,
    ),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    compare=compare_named("codes", "reconstruction", "W_dec"),
)
