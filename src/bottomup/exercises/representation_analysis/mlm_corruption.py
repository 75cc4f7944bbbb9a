"""Exercise: corrupt a sentence for a masked language model (Devlin et al., 2019, section 3.1)."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.representation_analysis.mlm_corruption_mistakes import (
    HAND,
    MISCONCEPTIONS,
    SPECIAL,
)
from bottomup.exercises.representation_analysis.mlm_corruption_parts import (
    Pair,
    compare,
    telling_lost_targets,
)
from bottomup.i18n import _

STUB = '''\
def corrupt_tokens(tokens, choose, kind, draw, mask_id, first, vocabulary):
    """What a masked language model reads, and where it has to predict.

    tokens [sentence, position]: ordinary tokens have the numbers first to
    vocabulary - 1, special ones lie below first. An ordinary token is
    chosen where choose is below 0.15. Of the chosen ones,
    kind below 0.8: becomes mask_id;
    kind from 0.8 and below 0.9: becomes the ordinary token with the number
    first + floor(draw * (vocabulary - first));
    kind from 0.9: stays as it is.
    choose, kind, draw [sentence, position]: uniform from 0 to 1, below 1.
    Returns (corrupted, chosen): the new token numbers, in the dtype of
    tokens, and a boolean tensor, True where the loss asks for the original.
    tokens stays as it was: it is the target.
    """
    ...
'''


def corrupt_tokens(
    tokens: torch.Tensor, choose: torch.Tensor, kind: torch.Tensor, draw: torch.Tensor,
    mask_id: int, first: int, vocabulary: int,
) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
    chosen = (tokens >= first) & (choose < 0.15)
    drawn = first + (draw * (vocabulary - first)).long()
    corrupted = torch.where(chosen & (kind < 0.9), drawn, tokens)
    return corrupted.masked_fill(chosen & (kind < 0.8), mask_id), chosen


def with_indices(
    tokens: Tensor, choose: Tensor, kind: Tensor, draw: Tensor,
    mask_id: int, first: int, vocabulary: int,
) -> Pair:  # fmt: skip
    corrupted = tokens.clone()
    chosen = torch.logical_and(choose < 0.15, tokens >= first)
    hidden = chosen & (kind < 0.8)
    exchanged = chosen & (kind >= 0.8) & (kind < 0.9)
    corrupted[hidden] = mask_id
    corrupted[exchanged] = (first + draw[exchanged] * (vocabulary - first)).to(torch.int64)
    return corrupted, chosen


def with_loops(
    tokens: Tensor, choose: Tensor, kind: Tensor, draw: Tensor,
    mask_id: int, first: int, vocabulary: int,
) -> Pair:  # fmt: skip
    rows, marks = tokens.tolist(), [[False] * tokens.shape[1] for _sentence in tokens]
    for b, row in enumerate(tokens.tolist()):
        for i, token in enumerate(row):
            if token < first or choose[b, i] >= 0.15:
                continue
            marks[b][i] = True
            if kind[b, i] < 0.8:
                rows[b][i] = mask_id
            elif kind[b, i] < 0.9:
                rows[b][i] = first + int(draw[b, i] * (vocabulary - first))
    return torch.tensor(rows).reshape(tokens.shape), torch.tensor(marks).reshape(tokens.shape)


def with_a_table(
    tokens: Tensor, choose: Tensor, kind: Tensor, draw: Tensor,
    mask_id: int, first: int, vocabulary: int,
) -> Pair:  # fmt: skip
    """All three fates of every token, of which each takes its own."""
    drawn = torch.floor(draw * (vocabulary - first)).long() + first
    fates = torch.stack([torch.full_like(tokens, mask_id), drawn, tokens], dim=-1)
    fate = torch.bucketize(kind, torch.tensor([0.8, 0.9], dtype=kind.dtype), right=True)
    chosen = (choose < 0.15) & ~(tokens < first)
    fate = fate.masked_fill(~chosen, 2)
    return fates.gather(-1, fate[..., None])[..., 0], chosen


Make = Callable[[torch.Generator], Inputs]


def _given(
    tokens: list[list[int]], choose: list[list[float]], kind: list[list[float]],
    draw: list[list[float]], *, mask_id: int, first: int, vocabulary: int,
) -> Make:  # fmt: skip
    """The numbers are in float64, so that a border such as 0.9 is the same in every writing."""

    def make(generator: torch.Generator) -> Inputs:
        numbers = {"choose": choose, "kind": kind, "draw": draw}
        return {
            "tokens": torch.tensor(tokens),
            **{name: torch.tensor(rows, dtype=torch.float64) for name, rows in numbers.items()},
            "mask_id": mask_id,
            "first": first,
            "vocabulary": vocabulary,
        }

    return make


def _random(
    sentences: int, positions: int, *, first: int = 4, vocabulary: int = 29,
    mask_id: int | None = None, special: float = 0.2, chosen: float | None = None,
    dtype: torch.dtype = torch.float32,
) -> Make:  # fmt: skip
    """A share of special tokens; `choose` stays below `chosen` where that is given.

    Without `mask_id` the mask is the number behind the vocabulary.
    """

    def make(generator: torch.Generator) -> Inputs:
        shape = sentences, positions

        def draw() -> Tensor:
            return torch.rand(shape, generator=generator, dtype=dtype)

        ordinary = torch.randint(first, vocabulary, shape, generator=generator)
        others = torch.randint(max(first, 1), shape, generator=generator)
        return {
            "tokens": torch.where(draw() < special, others, ordinary),
            "choose": draw() * (1.0 if chosen is None else chosen),
            "kind": draw(),
            "draw": draw(),
            "mask_id": vocabulary if mask_id is None else mask_id,
            "first": first,
            "vocabulary": vocabulary,
        }

    return make


WORDS = _given(
    [[1, 7, 9, 5, 8, 6, 2]],
    [[0.05, 0.1, 0.6, 0.02, 0.14, 0.9, 0.3]],
    [[0.1, 0.3, 0.4, 0.85, 0.95, 0.86, 0.2]],
    [[0.7, 0.2, 0.9, 0.6, 0.3, 0.1, 0.8]],
    mask_id=10, first=4, vocabulary=10,
)  # fmt: skip
BORDERS = _given(
    [[5, 6, 4, 7, 5, 4]],
    [[0.15, 0.0, 0.0625, 0.125, 0.03125, 0.0]],
    [[0.0, 0.8, 0.9, 0.0, 0.85, 0.8]],
    [[0.5, 0.75, 0.5, 0.25, 0.0, 0.9375]],
    mask_id=8, first=4, vocabulary=8,
)  # fmt: skip

CASES = (
    Case(HAND, WORDS),
    Case(_("numbers that lie on a border"), BORDERS),
    Case(SPECIAL, _random(2, 3, special=0.6, chosen=0.15), seed=1),
    Case(_("seven sentences"), _random(7, 23), seed=2),
    Case(_("everything is chosen"), _random(3, 11, special=0.0, chosen=0.15), seed=3),
    Case(_("the mask token lies among the special ones"), _random(5, 13, mask_id=3), seed=4),
    Case(_("as many sentences as positions"), _random(5, 5, chosen=0.3), seed=5),
    Case(_("many special tokens"), _random(3, 17, first=101, vocabulary=997, chosen=0.2), seed=6),
    Case(
        _("no token is special"),
        _random(5, 7, first=0, vocabulary=11, special=0.0, chosen=0.3),
        seed=7,
    ),
    Case(_("special tokens alone"), _random(2, 5, special=1.0), seed=8),
    Case(_("a single ordinary token"), _random(3, 7, vocabulary=5, chosen=0.3), seed=9),
    Case(_("many sentences"), _random(31, 37), seed=10),
    Case(_("float64"), _random(11, 13, chosen=0.5, dtype=torch.float64), seed=11),
)

MLM_CORRUPTION = Exercise(
    slug="mlm-corruption",
    title=_("Corrupt a sentence for a masked language model"),
    chapter="08",
    difficulty=2,
    minutes=12,
    stub=STUB,
    hints=(
        _(
            "Take one token after the other. Is it ordinary, and is its number in choose below "
            "0.15? Only then is its kind looked at. Let the tokens be 1, 7, 9, the numbers in "
            "choose 0.05, 0.1, 0.6, and first 4: which of the three get that far?"
        ),
        _(
            "`chosen = (tokens >= first) & (choose < 0.15)` is one answer already. The tokens that "
            "are left as they are belong to it: why would the loss need them?"
        ),
        _(
            "`torch.where(condition, drawn, tokens)` writes into a new tensor. Exchange where kind "
            "is below 0.9 first, then mask where it is below 0.8; or write both borders into each "
            "condition."
        ),
        _(
            "There are vocabulary - first ordinary tokens. `(draw * (vocabulary - first)).long()` "
            "counts them from 0; the first of them has the number first."
        ),
    ),
    solution=corrupt_tokens,
    alternatives=(with_indices, with_loops, with_a_table),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    run=telling_lost_targets(corrupt_tokens),
    compare=compare,
)
