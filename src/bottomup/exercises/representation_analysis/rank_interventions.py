"""Exercise: what a probe, a removal and a swap prove about the use of a token's identity."""

import torch
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise
from bottomup.exercises.representation_analysis import rank_interventions_networks as networks
from bottomup.exercises.representation_analysis.named_numbers import (
    compare_numbers,
    run_for_numbers,
)
from bottomup.exercises.representation_analysis.rank_interventions_mistakes import (
    COMPARES,
    COPY,
    FOLLOWS,
    GATED,
    IGNORES,
    LENGTH,
    MISCONCEPTIONS,
    MOSTLY,
)
from bottomup.exercises.representation_analysis.rank_interventions_parts import Numbers, Run
from bottomup.exercises.representation_analysis.rank_interventions_stations import by_hand, drawn
from bottomup.i18n import _

STUB = '''\
def evidence(network, h, tokens, read, part, control, donor):
    """What three measurements prove about the use of a token's identity.

    network: takes states [sentence, d_model], returns answers [sentence].
    h: states. tokens, read [sentence]: what stood there, and what a probe
    reads. part [d_model, width]: orthonormal directions, the probe's.
    control [d_model]: a direction of length 1. donor [sentence]: the number
    of a sentence with another token and another answer.
    readable: share of sentences whose token the probe reads.
    needed: share whose answer changes when h's part in these directions
    becomes zero, less the share for h moved as far along control.
    followed: share that gives the donor's answer with the donor's part.
    proved: the strongest claim that a share above 1/2 proves. 3, the answer
    follows the token; 2, it depends on this part of h; 1, the token can be
    read; 0, none of these.
    Returns (readable, needed, followed, proved), four numbers.
    """
    ...
'''


def evidence(
    network: "Run", h: torch.Tensor, tokens: torch.Tensor, read: torch.Tensor,
    part: torch.Tensor, control: torch.Tensor, donor: torch.Tensor,
) -> "Numbers":  # fmt: skip
    answer, here = network(h), h @ part @ part.T  # [sentence], [sentence, d_model]
    moved = network(h + here.norm(dim=1, keepdim=True) * control)
    removed, swapped = network(h - here), network(h - here + here[donor])
    readable = (read == tokens).double().mean()
    needed = (removed != answer).double().mean() - (moved != answer).double().mean()
    followed = (swapped == answer[donor]).double().mean()
    shares = enumerate((readable, needed, followed), start=1)
    return readable, needed, followed, max(rank * (share > 0.5) for rank, share in shares)


def with_questions(
    network: Run, h: Tensor, tokens: Tensor, read: Tensor,
    part: Tensor, control: Tensor, donor: Tensor,
) -> Numbers:  # fmt: skip
    """Tensors throughout, and one question after the other."""
    projection = part @ part.mT
    here = h @ projection
    rest = h - here
    size = here.square().sum(-1).sqrt()
    answer = network(h)
    changed = [
        (network(states) != answer).double().mean()
        for states in (rest, h + torch.outer(size, control))
    ]
    readable = torch.eq(read, tokens).double().mean()
    needed = changed[0] - changed[1]
    followed = (network(rest + h[donor] @ projection) == answer[donor]).double().mean()
    if followed > 0.5:
        return readable, needed, followed, 3
    if needed > 0.5:
        return readable, needed, followed, 2
    return readable, needed, followed, int(readable > 0.5)


def with_loops(
    network: Run, h: Tensor, tokens: Tensor, read: Tensor,
    part: Tensor, control: Tensor, donor: Tensor,
) -> Numbers:  # fmt: skip
    found, gone, disturbed, followed = 0, 0, 0, 0
    for i, state in enumerate(h):
        answer, other = int(network(state)), int(donor[i])
        here, there = torch.zeros_like(state), torch.zeros_like(state)
        for direction in part.T:
            here += direction.dot(state) * direction
            there += direction.dot(h[other]) * direction
        found += int(read[i] == tokens[i])
        gone += int(network(state - here)) != answer
        disturbed += int(network(state + here.norm() * control)) != answer
        followed += int(network(state - here + there)) == int(network(h[other]))
    n = len(h)
    shares = found / n, (gone - disturbed) / n, followed / n
    proved = [rank for rank, share in zip((1, 2, 3), shares, strict=True) if share > 0.5]
    return *shares, max(proved, default=0)


CASES = (
    Case(FOLLOWS, by_hand(networks.follows)),
    Case(IGNORES, by_hand(networks.ignores)),
    Case(LENGTH, by_hand(networks.of_usual_length)),
    Case(GATED, by_hand(networks.gated)),
    Case(COMPARES, by_hand(networks.compares, contexts=(1, 1, 0, 0), donor=(3, 2, 1, 1))),
    Case(COPY, by_hand(networks.with_a_copy, copied=True)),
    Case(
        _("the token is not there, and the probe guesses"),
        by_hand(networks.ignores, read=(5, 5, 5, 5), held=False),
    ),
    Case(
        _("the token decides in half of the sentences"),
        by_hand(networks.sometimes, read=(5, 5, 7, 5), donor=(2, 2, 0, 0)),
    ),
    Case(
        MOSTLY,
        by_hand(networks.sometimes, contexts=(0, 0, 0, 1), donor=(2, 2, 0, 0)),
    ),
    Case(_("eleven numbers: the token decides"), drawn(networks.follows, 13, 11), seed=1),
    Case(
        _("the token decides, and a default where there is none"),
        drawn(networks.follows_with_a_default, 23, 7),
        seed=6,
    ),
    Case(_("eleven numbers: nothing reads the token"), drawn(networks.ignores, 17, 11), seed=3),
    Case(
        _("control points at what the network reads"),
        drawn(networks.ignores, 13, 7, size=5.0, context_size=0.5),
        seed=2,
    ),
    Case(
        _("eleven numbers: lengths matter"),
        drawn(networks.of_usual_length, 13, 11, unused_control=True),
        seed=4,
    ),
    Case(_("eleven numbers: some token is needed"), drawn(networks.gated, 11, 11), seed=5),
    Case(
        _("thirteen numbers: token and context are compared"),
        drawn(networks.compares, 17, 13, agreeing=True),
        seed=6,
    ),
    Case(
        _("eleven numbers: a copy takes over"),
        drawn(networks.with_a_copy, 13, 11, copied=True),
        seed=7,
    ),
    Case(
        _("the token is a product, which the probe cannot read"),
        drawn(networks.multiplies, 19, 7),
        seed=8,
    ),
    Case(_("the token decides in some contexts"), drawn(networks.sometimes, 29, 11), seed=9),
    Case(_("as many sentences as numbers"), drawn(networks.follows, 11, 11, width=3), seed=10),
    Case(_("a part of one direction"), drawn(networks.follows, 7, 5, width=1), seed=11),
    Case(
        _("float64"),
        drawn(networks.follows_with_a_default, 11, 7, dtype=torch.float64),
        seed=12,
    ),
)

RANK_INTERVENTIONS = Exercise(
    slug="rank-interventions",
    title=_("What each intervention proves"),
    chapter="08",
    difficulty=4,
    minutes=25,
    stub=STUB,
    hints=(
        _(
            "Think of a network that holds the token and never looks at it. Which of the three "
            "shares are then 0? Now let it also answer 9 to every state whose length is unusual. "
            "Which share would rise if nothing were taken off?"
        ),
        _(
            "`here = h @ part @ part.T` is what h holds in the directions of part, again "
            "[sentence, d_model]. Without it: h - here. The control moves h by the length of that "
            "difference, `here.norm(dim=1, keepdim=True) * control`."
        ),
        _(
            "With the donor's part: h - here + here[donor]; the rest stays. It counts where the "
            "network's answer is now `answer[donor]`, not wherever it has changed."
        ),
        _(
            "The three claims do not build on each other. A copy can hide what is used from a "
            "removal, and a linear probe misses what only a product of two directions tells. Ask "
            "for the strongest claim first."
        ),
    ),
    solution=evidence,
    alternatives=(with_questions, with_loops),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    run=run_for_numbers,
    compare=compare_numbers("readable", "needed", "followed", "proved"),
)
