"""Exercise: one step of a TopK autoencoder: project the decoder, encode, rebuild."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn.functional import normalize

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.named_tensors import compare_named
from bottomup.i18n import _


def topk_step(
    x: torch.Tensor, W_enc: torch.Tensor, b_enc: torch.Tensor,
    W_dec: torch.Tensor, b_dec: torch.Tensor, k: int,
) -> tuple[torch.Tensor, ...]:  # fmt: skip
    W_dec = W_dec / W_dec.norm(dim=0)
    activations = torch.relu((x - b_dec) @ W_enc.T + b_enc)
    largest = activations.topk(k)  # of each sample: along the last axis
    codes = torch.zeros_like(activations).scatter(1, largest.indices, largest.values)
    return codes, codes @ W_dec.T + b_dec, W_dec


Parts = tuple[Tensor, Tensor, Tensor]


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


# ---- One step in another way: what the mistakes are made of

Answer = Callable[..., Parts]


def unit_columns(W_dec: Tensor) -> Tensor:
    return W_dec / W_dec.norm(dim=0)


def products(x: Tensor, W_enc: Tensor, W_dec: Tensor) -> Tensor:
    return x @ W_enc.T


def chosen(scores: Tensor, k: int) -> Tensor:
    """Where the k largest numbers of each sample stand."""
    places = torch.zeros_like(scores, dtype=torch.bool)
    return places.scatter(-1, scores.topk(k).indices, value=True)


def kept(scores: Tensor, places: Tensor) -> Tensor:
    return scores.masked_fill(~places, 0)


def code(found: Tensor, b_enc: Tensor, k: int) -> Tensor:
    scores = found + b_enc
    return kept(scores, chosen(scores, k)).relu()


@dataclass(frozen=True)
class Steps:
    """The steps of the autoencoder; a mistake replaces some of them.

    Args:
        project: from W_dec to the matrix that is returned.
        used: from W_dec and what is returned to the matrix that rebuilds.
        centre: from x and b_dec to what is encoded.
        products: from that, W_enc and W_dec to one number for each unit.
        code: from those numbers, b_enc and k to the codes.
        rebuild: from codes and decoder to vectors without b_dec.
        shift: adds b_dec.
        returned: what of the codes is returned, from the codes, W_dec and k.
    """

    project: Callable[[Tensor], Tensor] = unit_columns
    used: Callable[[Tensor, Tensor], Tensor] = lambda W_dec, projected: projected
    centre: Callable[[Tensor, Tensor], Tensor] = lambda x, b_dec: x - b_dec
    products: Callable[[Tensor, Tensor, Tensor], Tensor] = products
    code: Callable[[Tensor, Tensor, int], Tensor] = code
    rebuild: Callable[[Tensor, Tensor], Tensor] = lambda codes, decoder: codes @ decoder.T
    shift: Callable[[Tensor, Tensor], Tensor] = lambda vectors, b_dec: vectors + b_dec
    returned: Callable[[Tensor, Tensor, int], Tensor] = lambda codes, W_dec, k: codes

    def __call__(
        self, x: Tensor, W_enc: Tensor, b_enc: Tensor, W_dec: Tensor, b_dec: Tensor, k: int
    ) -> Parts:
        """Return codes, reconstruction and decoder."""
        projected = self.project(W_dec)
        decoder = self.used(W_dec, projected)
        codes = self.code(self.products(self.centre(x, b_dec), W_enc, decoder), b_enc, k)
        reconstruction = self.shift(self.rebuild(codes, decoder), b_dec)
        return self.returned(codes, W_dec, k), reconstruction, projected


def with_step(**changed: Callable[..., object]) -> Answer:
    """Return the right steps with some replaced."""
    return replace(Steps(), **changed)  # type: ignore[arg-type]


# ---- Mistakes: from the encoder's numbers to the codes

STRONG_AND_WEAK = _("a strong sample and a weak one")
FEW = _("fewer than k positive numbers")


def chosen_by(places: Callable[[Tensor, int], Tensor]) -> tuple[Answer, ...]:
    """Another choice of what is kept; with the ReLU before, after, or left out."""

    def after(found: Tensor, b_enc: Tensor, k: int) -> Tensor:
        return kept(found + b_enc, places(found + b_enc, k)).relu()

    def before(found: Tensor, b_enc: Tensor, k: int) -> Tensor:
        scores = (found + b_enc).relu()
        return kept(scores, places(scores, k))

    def without(found: Tensor, b_enc: Tensor, k: int) -> Tensor:
        return kept(found + b_enc, places(found + b_enc, k))

    return with_step(code=after), with_step(code=before), with_step(code=without)


def _in_the_batch(per_sample: bool) -> Callable[[Tensor, int], Tensor]:
    def places(scores: Tensor, k: int) -> Tensor:
        count = min(k * len(scores), scores.numel()) if per_sample else k
        return chosen(scores.flatten(), count).reshape(scores.shape)

    return places


def _above_one_threshold(of_all: Callable[[Tensor], Tensor]) -> Callable[[Tensor, int], Tensor]:
    """A threshold for all samples, made of the k-th largest number of each."""
    return lambda scores, k: scores >= of_all(scores.topk(k).values[:, -1])


def _strictly_above(scores: Tensor, k: int) -> Tensor:
    return scores > scores.topk(k).values[:, -1:]


def _one_more(scores: Tensor, k: int) -> Tensor:
    return chosen(scores, k + 1)  # fails where every unit may be kept


def _one_more_at_most_all(scores: Tensor, k: int) -> Tensor:
    return chosen(scores, min(k + 1, scores.shape[-1]))


def _down_to_the_next(scores: Tensor, k: int) -> Tensor:
    return scores >= scores.sort(descending=True).values[:, k, None]


def _down_to_the_next_of_a_slice(scores: Tensor, k: int) -> Tensor:
    return scores >= scores.sort(descending=True).values[:, k : k + 1]


def _in_the_first_places(found: Tensor, b_enc: Tensor, k: int) -> Tensor:
    codes = torch.zeros_like(found)
    codes[:, :k] = (found + b_enc).topk(k).values
    return codes


def _of_each_unit(scores: Tensor, k: int) -> Tensor:
    return chosen(scores.T, min(k, len(scores))).T


def _of_each_unit_strictly(scores: Tensor, k: int) -> Tensor:
    return chosen(scores.T, k).T  # fails where there are fewer samples than k


def _largest_by_size(scores: Tensor, k: int) -> Tensor:
    return chosen(scores.abs(), k)


def _chosen_and_made_positive(found: Tensor, b_enc: Tensor, k: int) -> Tensor:
    scores = found + b_enc
    return kept(scores.abs(), _largest_by_size(scores, k))


def _chosen_before_the_bias(found: Tensor, b_enc: Tensor, k: int) -> Tensor:
    return kept(found + b_enc, chosen(found, k)).relu()


def _bias_after_the_choice(found: Tensor, b_enc: Tensor, k: int) -> Tensor:
    return (kept(found, chosen(found, k)) + b_enc).relu()


def _bias_after_the_relu(found: Tensor, b_enc: Tensor, k: int) -> Tensor:
    return kept(found, chosen(found, k)).relu() + b_enc


def _without_encoder_bias(found: Tensor, b_enc: Tensor, k: int) -> Tensor:
    return kept(found, chosen(found, k)).relu()


def _ones(found: Tensor, b_enc: Tensor, k: int) -> Tensor:
    scores = found + b_enc
    return (chosen(scores, k) & (scores > 0)).to(scores.dtype)


def _ones_without_relu(found: Tensor, b_enc: Tensor, k: int) -> Tensor:
    return chosen(found + b_enc, k).to(found.dtype)


def _all_kept(found: Tensor, b_enc: Tensor, k: int) -> Tensor:
    return (found + b_enc).relu()


CHOICE = (
    Mistake(
        "k-over-the-batch",
        chosen_by(_in_the_batch(per_sample=True))[0],
        (
            *chosen_by(_in_the_batch(per_sample=True))[1:],
            *chosen_by(_in_the_batch(per_sample=False)),
        ),
        case=STRONG_AND_WEAK,
    ),
    Mistake(
        "one-threshold-for-the-batch",
        chosen_by(_above_one_threshold(torch.min))[0],
        (
            *chosen_by(_above_one_threshold(torch.min))[1:],
            *(
                answer
                for of_all in (
                    torch.max,
                    torch.mean,
                    lambda values: values[0],
                    lambda values: values[-1],
                )
                for answer in chosen_by(_above_one_threshold(of_all))
            ),
        ),
        case=STRONG_AND_WEAK,
    ),
    Mistake(
        "strictly-above-the-threshold",
        chosen_by(_strictly_above)[0],
        chosen_by(_strictly_above)[1:],
    ),
    Mistake(
        "one-too-many-kept",
        chosen_by(_one_more)[0],
        tuple(
            answer
            for places in (
                _one_more,
                _one_more_at_most_all,
                _down_to_the_next,
                _down_to_the_next_of_a_slice,
            )
            for answer in chosen_by(places)
        ),
    ),
    Mistake(
        "k-samples-of-each-unit",
        chosen_by(_of_each_unit)[0],
        (*chosen_by(_of_each_unit)[1:], *chosen_by(_of_each_unit_strictly)),
    ),
    Mistake(
        "largest-by-absolute-value",
        chosen_by(_largest_by_size)[0],
        (chosen_by(_largest_by_size)[2], with_step(code=_chosen_and_made_positive)),
    ),
    Mistake(
        "chosen-before-the-encoder-bias",
        with_step(code=_chosen_before_the_bias),
        (with_step(code=_bias_after_the_choice), with_step(code=_bias_after_the_relu)),
    ),
    Mistake("encoder-bias-missing", with_step(code=_without_encoder_bias)),
    Mistake("nothing-cut-off", with_step(code=_all_kept)),
    Mistake(
        "relu-missing",
        with_step(code=lambda found, b_enc, k: kept(found + b_enc, chosen(found + b_enc, k))),
        case=FEW,
    ),
    Mistake("codes-are-ones", with_step(code=_ones), (with_step(code=_ones_without_relu),)),
    Mistake(
        "values-in-the-first-places",
        with_step(code=lambda *inputs: _in_the_first_places(*inputs).relu()),
        (with_step(code=_in_the_first_places),),
    ),
    Mistake(
        "codes-without-places", with_step(returned=lambda codes, W_dec, k: codes.topk(k).values)
    ),
)


# ---- Mistakes: the lengths of the decoder, b_dec, the two maps

SQUARE = _("as many units as inputs")


def _given(W_dec: Tensor) -> Tensor:
    return W_dec


def _given_used(W_dec: Tensor, projected: Tensor) -> Tensor:
    return W_dec


def _untransposed(x: Tensor, W_enc: Tensor, W_dec: Tensor) -> Tensor:
    return x @ W_enc


def _rebuilt_untransposed(codes: Tensor, decoder: Tensor) -> Tensor:
    return codes @ decoder


def _unchanged(x: Tensor, b_dec: Tensor) -> Tensor:
    return x


def _smallest(scores: Tensor, k: int) -> Tensor:
    places = scores.topk(k, largest=False).indices
    return torch.zeros_like(scores, dtype=torch.bool).scatter(-1, places, value=True)


def _with_unit_encoder(dim: int) -> Answer:
    return with_step(products=lambda x, W_enc, W_dec: x @ normalize(W_enc, dim=dim).T)


LENGTHS = (
    Mistake("decoder-lengths-free", with_step(project=_given)),
    Mistake("decoder-projected-too-late", with_step(used=_given_used)),
    Mistake(
        "projection-not-kept",
        with_step(project=_given, used=lambda W_dec, projected: W_dec / W_dec.norm(dim=0)),
    ),
    Mistake(
        "rows-made-unit",
        with_step(project=lambda W_dec: normalize(W_dec, dim=1)),
        (with_step(project=lambda W_dec: normalize(W_dec, dim=1), used=_given_used),),
    ),
    Mistake(
        "one-length-for-all",
        with_step(project=lambda W_dec: W_dec / W_dec.norm()),
        (
            with_step(project=lambda W_dec: W_dec / W_dec.norm(dim=0).mean()),
            with_step(project=lambda W_dec: W_dec / W_dec.norm(dim=0).max()),
        ),
    ),
    Mistake(
        "squared-length-divides", with_step(project=lambda W_dec: W_dec / W_dec.square().sum(0))
    ),
    Mistake(
        "another-norm",
        with_step(project=lambda W_dec: W_dec / W_dec.abs().sum(0)),
        (with_step(project=lambda W_dec: normalize(W_dec, p=torch.inf, dim=0)),),
    ),
    Mistake(
        "only-long-columns-shortened",
        with_step(project=lambda W_dec: W_dec / W_dec.norm(dim=0).clamp(min=1)),
        (with_step(project=lambda W_dec: W_dec / W_dec.norm(dim=0).clamp(max=1)),),
    ),
    Mistake(
        "lengths-moved-into-the-codes",
        with_step(used=_given_used, returned=lambda codes, W_dec, k: codes * W_dec.norm(dim=0)),
    ),
)

BIASES_AND_MAPS = (
    Mistake("smallest-kept", chosen_by(_smallest)[0], chosen_by(_smallest)[1:]),
    Mistake("encoder-normalised", _with_unit_encoder(1), (_with_unit_encoder(0),)),
    Mistake("decoder-bias-not-subtracted", with_step(centre=_unchanged)),
    Mistake("decoder-bias-not-added", with_step(shift=_unchanged)),
    Mistake("decoder-bias-ignored", with_step(centre=_unchanged, shift=_unchanged)),
    Mistake(
        "encoder-is-the-decoder",
        with_step(products=lambda x, W_enc, W_dec: x @ W_dec),
        (with_step(products=lambda x, W_enc, W_dec: x @ W_dec, used=_given_used),),
    ),
    Mistake(
        "map-untransposed",
        with_step(products=_untransposed, rebuild=_rebuilt_untransposed),
        (with_step(products=_untransposed), with_step(rebuild=_rebuilt_untransposed)),
        case=SQUARE,
    ),
)

MISTAKES = (*CHOICE, *LENGTHS, *BIASES_AND_MAPS)


# ---- Cases


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

ANSWERS = Answers(
    solution=topk_step,
    alternatives=(
        with_a_threshold,
        with_loops,
        with_einsum,
        with_the_bias_multiplied_out,
    ),
    mistakes=MISTAKES,
    cases=CASES,
    compare=compare_named("codes", "reconstruction", "W_dec"),
)
