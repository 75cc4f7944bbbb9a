"""Exercise: by how much a beam's claims are off."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


def claims_off(
    claimed: torch.Tensor, log_p: torch.Tensor, tokens: torch.Tensor, lengths: torch.Tensor
) -> torch.Tensor:
    said = log_p.gather(2, tokens[..., None])[..., 0]  # [hypothesis, place]
    real = torch.arange(tokens.shape[1]) < lengths[:, None]
    return (said * real).sum(dim=1) - claimed


def with_loops(claimed: Tensor, log_p: Tensor, tokens: Tensor, lengths: Tensor) -> Tensor:
    off = []
    for number, length in enumerate(lengths.tolist()):
        said = [log_p[number, place, tokens[number, place]] for place in range(length)]
        off.append(torch.stack(said).sum() - claimed[number])
    return torch.stack(off)


def with_running_sums(claimed: Tensor, log_p: Tensor, tokens: Tensor, lengths: Tensor) -> Tensor:
    hot = torch.nn.functional.one_hot(tokens, log_p.shape[2]).to(log_p)
    running = (log_p * hot).sum(dim=2).cumsum(dim=1)
    return running.gather(1, lengths[:, None] - 1)[:, 0] - claimed


# ---- One step in another way: what the mistakes are made of

Count = Callable[[Tensor, Tensor], Tensor]  # of what is said of each token, and of real places
Answer = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


def said_of(log_p: Tensor, tokens: Tensor) -> Tensor:
    return log_p.gather(2, tokens[..., None])[..., 0]


def counted(count: Count) -> Answer:
    """Return the answer that counts in another way."""

    def off(claimed: Tensor, log_p: Tensor, tokens: Tensor, lengths: Tensor) -> Tensor:
        real = torch.arange(tokens.shape[1]) < lengths[:, None]
        return count(said_of(log_p, tokens), real) - claimed

    return off


def without(first: int, last: int) -> Answer:
    """Return the answer that leaves out tokens at the head and at the end."""

    def off(claimed: Tensor, log_p: Tensor, tokens: Tensor, lengths: Tensor) -> Tensor:
        place = torch.arange(tokens.shape[1])
        real = (place >= first) & (place < lengths[:, None] - last)
        return (said_of(log_p, tokens) * real).sum(dim=1) - claimed

    return off


def shifted(by: int) -> Answer:
    """Return the answer that looks tokens up at another place."""
    return lambda claimed, log_p, tokens, lengths: claims_off(
        claimed, log_p.roll(by, dims=1), tokens, lengths
    )


def _next_tokens(claimed: Tensor, log_p: Tensor, tokens: Tensor, lengths: Tensor) -> Tensor:
    """As if the tokens began with one that is only read."""
    said = said_of(log_p[:, :-1], tokens[:, 1:])
    real = torch.arange(said.shape[1]) < lengths[:, None] - 1
    return (said * real).sum(dim=1) - claimed


def _end_alone(claimed: Tensor, log_p: Tensor, tokens: Tensor, lengths: Tensor) -> Tensor:
    return said_of(log_p, tokens).gather(1, lengths[:, None] - 1)[:, 0] - claimed


def _likeliest(claimed: Tensor, log_p: Tensor, tokens: Tensor, lengths: Tensor) -> Tensor:
    return claims_off(claimed, log_p, log_p.argmax(dim=-1), lengths)


def _in_probabilities(claimed: Tensor, log_p: Tensor, tokens: Tensor, lengths: Tensor) -> Tensor:
    return (claims_off(claimed, log_p, tokens, lengths) + claimed).exp() - claimed.exp()


def summed_probabilities(finish: Callable[[Tensor], Tensor]) -> Answer:
    """Return the answer that adds up probabilities, and what it makes of the sum."""
    return counted(lambda said, real: finish((said.exp() * real).sum(dim=1)))


PADDED = _("two hypotheses of different length")

MISTAKES = (
    Mistake("padding-counted", counted(lambda said, real: said.sum(dim=1)), case=PADDED),
    Mistake("end-left-out", without(0, 1)),
    Mistake("first-left-out", without(1, 0)),
    Mistake(
        "mean-for-sum",
        counted(lambda said, real: (said * real).sum(dim=1) / real.sum(dim=1)),
        (counted(lambda said, real: (said * real).mean(dim=1)),),
    ),
    Mistake("shifted-by-one", shifted(1), (shifted(-1), _next_tokens), case=PADDED),
    Mistake("one-place-too-many", without(0, -1)),
    Mistake("likeliest-for-written", _likeliest),
    Mistake(
        "claim-not-subtracted", lambda claimed, *rest: claims_off(torch.zeros_like(claimed), *rest)
    ),
    Mistake("end-alone", _end_alone),
    Mistake("one-sum-for-all", counted(lambda said, real: (said * real).sum())),
    Mistake("sign-exchanged", lambda *inputs: -claims_off(*inputs)),
    Mistake("sign-dropped", lambda *inputs: claims_off(*inputs).abs()),
    Mistake("probabilities-compared", _in_probabilities),
    Mistake(
        "probabilities-added", summed_probabilities(torch.log), (summed_probabilities(lambda x: x),)
    ),
)


# ---- Cases


def _hand(generator: torch.Generator) -> Inputs:
    log_p = torch.tensor([[[-1.0, -2.0], [-3.0, -0.5]], [[-0.25, -4.0], [-1.0, -1.5]]])
    return {
        "claimed": torch.tensor([-1.0, -4.5], dtype=torch.float64),
        "log_p": log_p.double(),
        "tokens": torch.tensor([[0, 1], [1, 0]]),
        "lengths": torch.tensor([2, 1]),
    }


def _random(lengths: list[int], words: int) -> Callable[[torch.Generator], Inputs]:
    def make(generator: torch.Generator) -> Inputs:
        shape = (len(lengths), max(lengths), words)
        log_p = torch.randn(shape, generator=generator, dtype=torch.float64).log_softmax(dim=-1)
        inputs = {
            "claimed": torch.zeros(len(lengths), dtype=torch.float64),
            "log_p": log_p,
            "tokens": torch.randint(words, shape[:2], generator=generator),
            "lengths": torch.tensor(lengths),
        }
        right = claims_off(**inputs)
        off = torch.randn(len(lengths), generator=generator, dtype=torch.float64)
        off[::2] = 0  # every other claim is right
        return {**inputs, "claimed": right + off}

    return make


CASES = (
    Case(_("two hypotheses, two words"), _hand),
    Case(PADDED, _random([5, 2], 3), seed=1),
    Case(_("a beam of four"), _random([7, 3, 5, 2], 11), seed=2),
    Case(_("equal lengths"), _random([3, 3, 3], 5), seed=3),
    Case(_("as many words as places"), _random([2, 5, 3], 5), seed=4),
)

ANSWERS = Answers(
    solution=claims_off,
    alternatives=(with_loops, with_running_sums),
    mistakes=MISTAKES,
    cases=CASES,
)
