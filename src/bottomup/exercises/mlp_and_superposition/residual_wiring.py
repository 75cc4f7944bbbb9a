"""Exercise: a block in both wirings, pre-norm and post-norm (Xiong et al., 2020)."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.named_functions import run_with
from bottomup.i18n import _


def block(
    x: torch.Tensor,
    attend: "Function", mlp: "Function", norm_1: "Function", norm_2: "Function", kind: str,
) -> torch.Tensor:  # fmt: skip
    if kind == "pre":
        x = x + attend(norm_1(x))
        return x + mlp(norm_2(x))
    x = norm_1(x + attend(x))
    return norm_2(x + mlp(x))


Function = Callable[[Tensor], Tensor]


def with_a_loop(
    x: Tensor, attend: Function, mlp: Function, norm_1: Function, norm_2: Function, kind: str
) -> Tensor:
    for sublayer, norm in ((attend, norm_1), (mlp, norm_2)):
        x = x + sublayer(norm(x)) if kind == "pre" else norm(x + sublayer(x))
    return x


def with_read_and_write(
    x: Tensor, attend: Function, mlp: Function, norm_1: Function, norm_2: Function, kind: str
) -> Tensor:
    def around(stream: Tensor, sublayer: Function, norm: Function) -> Tensor:
        read = stream if kind == "post" else norm(stream)
        written = torch.add(sublayer(read), stream)
        return norm(written) if kind == "post" else written

    return around(around(x, attend, norm_1), mlp, norm_2)


def with_names_for_every_step(
    x: Tensor, attend: Function, mlp: Function, norm_1: Function, norm_2: Function, kind: str
) -> Tensor:
    before = {"pre": (norm_1, norm_2), "post": (lambda z: z, lambda z: z)}[kind]
    after = {"pre": (lambda z: z, lambda z: z), "post": (norm_1, norm_2)}[kind]
    first_update = attend(before[0](x))
    middle = after[0](torch.stack([x, first_update]).sum(0))
    second_update = mlp(before[1](middle))
    return after[1](torch.stack([middle, second_update]).sum(0))


# ---- Functions that a case names by a text, so that a report can show them

WIDTH = 4


def _drawn(*shape: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def _attention(x: Tensor) -> Tensor:
    """Self-attention in one head, with fixed maps."""
    query, key, value = (x @ _drawn(WIDTH, WIDTH, seed=seed).to(x) for seed in (1, 2, 3))
    return F.scaled_dot_product_attention(query, key, value)


def _network(x: Tensor) -> Tensor:
    """A feed-forward network of seven neurons, with fixed maps."""
    hidden = (x @ _drawn(WIDTH, 7, seed=4).to(x) + _drawn(7, seed=5).to(x)).relu()
    return hidden @ _drawn(7, WIDTH, seed=6).to(x)


def _norm(seed: int) -> Function:
    """LayerNorm with a gain and a bias of its own."""

    def norm(x: Tensor) -> Tensor:
        gain, bias = 1 + 0.5 * _drawn(WIDTH, seed=seed), _drawn(WIDTH, seed=seed + 1)
        return F.layer_norm(x, (WIDTH,), gain.to(x), bias.to(x))

    return norm


ATTENTION, NETWORK = _("attention with fixed maps"), _("a feed-forward network with fixed maps")
FIRST_NORM, SECOND_NORM = _("LayerNorm with a first gain"), _("LayerNorm with a second gain")
SAME, NOTHING = _("the input itself"), _("nothing: zeros")

FUNCTIONS: dict[str, Function] = {
    "3 x": lambda x: 3 * x,
    "x + 1": lambda x: x + 1,
    "x / 2": lambda x: x / 2,
    "x / 5": lambda x: x / 5,
    SAME: lambda x: x.clone(),
    NOTHING: torch.zeros_like,
    ATTENTION: _attention,
    NETWORK: _network,
    FIRST_NORM: _norm(7),
    SECOND_NORM: _norm(9),
}


# ---- Other wirings: what the mistakes are made of

Answer = Callable[[Tensor, Function, Function, Function, Function, str], Tensor]
Step = Callable[[Tensor, Function, Function], Tensor]  # stream, sublayer, norm -> stream
Wiring = Callable[[Tensor, Function, Function, Function, Function], Tensor]


def pre(x: Tensor, sublayer: Function, norm: Function) -> Tensor:
    return x + sublayer(norm(x))


def post(x: Tensor, sublayer: Function, norm: Function) -> Tensor:
    return norm(x + sublayer(x))


def in_turn(first: Step, second: Step) -> Wiring:
    """Attention in one step, the MLP in the next."""
    return lambda x, attend, mlp, norm_1, norm_2: second(first(x, attend, norm_1), mlp, norm_2)


PRE, POST = in_turn(pre, pre), in_turn(post, post)


def of_kinds(*, pre: Wiring = PRE, post: Wiring = POST) -> Answer:
    """One wiring for each kind."""

    def wrong(
        x: Tensor, attend: Function, mlp: Function, norm_1: Function, norm_2: Function, kind: str
    ) -> Tensor:
        return {"pre": pre, "post": post}[kind](x, attend, mlp, norm_1, norm_2)

    return wrong


def wired(wrong_pre: Wiring, wrong_post: Wiring) -> tuple[Answer, ...]:
    """Wrong in both kinds; then in one of them alone."""
    return (
        of_kinds(pre=wrong_pre, post=wrong_post),
        of_kinds(pre=wrong_pre),
        of_kinds(post=wrong_post),
    )


def stepped(wrong_pre: Step, wrong_post: Step) -> tuple[Answer, ...]:
    """Wrong around both sublayers; then around attention or the MLP alone; in both or one kind."""
    return (
        *wired(in_turn(wrong_pre, wrong_pre), in_turn(wrong_post, wrong_post)),
        *wired(in_turn(wrong_pre, pre), in_turn(wrong_post, post)),
        *wired(in_turn(pre, wrong_pre), in_turn(post, wrong_post)),
    )


# ---- Mistakes: the skip, and the place of the norm

BY_HAND_PRE = _("one number, to be done in the head, pre-norm")
BY_HAND_POST = _("one number, to be done in the head, post-norm")


def mistake(slug: str, answers: tuple[Answer, ...], case: str = "") -> Mistake:
    wrong, *variants = answers
    return Mistake(slug, wrong, tuple(variants), case)


KINDS = (
    mistake("kinds-exchanged", (of_kinds(pre=POST, post=PRE),)),
    mistake("pre-norm-always", (of_kinds(post=PRE),), case=BY_HAND_POST),
    mistake("post-norm-always", (of_kinds(pre=POST),), case=BY_HAND_PRE),
    mistake(
        "kinds-mixed",
        (
            *wired(in_turn(pre, post), in_turn(post, pre)),
            *wired(in_turn(post, pre), in_turn(pre, post)),
            of_kinds(pre=in_turn(pre, post), post=in_turn(pre, post)),
            of_kinds(pre=in_turn(post, pre), post=in_turn(post, pre)),
        ),
    ),
)

PLACES_OF_THE_NORM = (
    mistake(
        "stream-normalised",
        stepped(
            lambda x, sublayer, norm: norm(x) + sublayer(norm(x)),
            lambda x, sublayer, norm: norm(x) + sublayer(norm(x)),
        ),
    ),
    mistake(
        "norm-on-the-skip",
        stepped(
            lambda x, sublayer, norm: norm(x) + sublayer(x),
            lambda x, sublayer, norm: norm(x) + sublayer(x),
        ),
    ),
    mistake(
        "update-normalised",
        (
            *stepped(
                lambda x, sublayer, norm: x + norm(sublayer(x)),
                lambda x, sublayer, norm: x + norm(sublayer(x)),
            ),
            *stepped(
                lambda x, sublayer, norm: x + norm(sublayer(norm(x))),
                lambda x, sublayer, norm: x + norm(sublayer(norm(x))),
            ),
        ),
    ),
    mistake(
        "norm-missing",
        stepped(
            lambda x, sublayer, norm: x + sublayer(x),
            lambda x, sublayer, norm: x + sublayer(x),
        ),
    ),
    mistake(
        "norm-before-and-after",
        stepped(
            lambda x, sublayer, norm: norm(x + sublayer(norm(x))),
            lambda x, sublayer, norm: norm(x + sublayer(norm(x))),
        ),
    ),
)

SKIPS = (
    mistake(
        "skip-missing",
        stepped(
            lambda x, sublayer, norm: sublayer(norm(x)),
            lambda x, sublayer, norm: norm(sublayer(x)),
        ),
    ),
)

AROUND_ONE = (*KINDS, *PLACES_OF_THE_NORM, *SKIPS)


# ---- Mistakes: which stream the second sublayer continues


def _with_norms(wiring: Wiring, first: int, second: int) -> Wiring:
    """The same wiring with other norms in the places of norm_1 and norm_2, counted from 0."""

    def wrong(
        x: Tensor, attend: Function, mlp: Function, norm_1: Function, norm_2: Function
    ) -> Tensor:
        norms = (norm_1, norm_2)
        return wiring(x, attend, mlp, norms[first], norms[second])

    return wrong


def _mlp_first(wiring: Wiring, *, own_norms: bool) -> Wiring:
    def wrong(
        x: Tensor, attend: Function, mlp: Function, norm_1: Function, norm_2: Function
    ) -> Tensor:
        norms = (norm_2, norm_1) if own_norms else (norm_1, norm_2)
        return wiring(x, mlp, attend, *norms)

    return wrong


NORMS = (
    mistake(
        "one-norm-for-both",
        (
            *wired(_with_norms(PRE, 0, 0), _with_norms(POST, 0, 0)),
            *wired(_with_norms(PRE, 1, 1), _with_norms(POST, 1, 1)),
        ),
    ),
    mistake("norms-exchanged", wired(_with_norms(PRE, 1, 0), _with_norms(POST, 1, 0))),
)

ORDER = (
    mistake(
        "mlp-first",
        (
            *wired(_mlp_first(PRE, own_norms=True), _mlp_first(POST, own_norms=True)),
            *wired(_mlp_first(PRE, own_norms=False), _mlp_first(POST, own_norms=False)),
        ),
    ),
)

# block's input, attention's update, stream after attention, mlp, norm_2 -> stream
Second = Callable[[Tensor, Tensor, Tensor, Function, Function], Tensor]


def _pre_then(second: Second) -> Wiring:
    def wrong(
        x: Tensor, attend: Function, mlp: Function, norm_1: Function, norm_2: Function
    ) -> Tensor:
        update = attend(norm_1(x))
        return second(x, update, x + update, mlp, norm_2)

    return wrong


def _post_then(second: Second) -> Wiring:
    def wrong(
        x: Tensor, attend: Function, mlp: Function, norm_1: Function, norm_2: Function
    ) -> Tensor:
        update = attend(x)
        return second(x, update, norm_1(x + update), mlp, norm_2)

    return wrong


def _then(pre: Second, post: Second) -> tuple[Answer, ...]:
    """Right up to attention, with another second half in each kind."""
    return wired(_pre_then(pre), _post_then(post))


def _one_skip(
    x: Tensor, attend: Function, mlp: Function, norm_1: Function, norm_2: Function
) -> Tensor:
    return x + mlp(norm_2(attend(norm_1(x))))


def _both_updates(
    x: Tensor, attend: Function, mlp: Function, norm_1: Function, norm_2: Function
) -> Tensor:
    update = attend(norm_1(x))
    return update + mlp(norm_2(x + update))


def _without_the_input(
    x: Tensor, attend: Function, mlp: Function, norm_1: Function, norm_2: Function
) -> Tensor:
    return POST(x, attend, mlp, norm_1, norm_2) - x


def _both_updates_unnormalised(
    x: Tensor, attend: Function, mlp: Function, norm_1: Function, norm_2: Function
) -> Tensor:
    update = attend(x)
    return update + mlp(norm_1(x + update))


# in pre-norm alone this is the second skip left out
_last_update = _pre_then(lambda x, update, stream, mlp, norm: mlp(norm(stream)))
_last_update_unnormalised = _post_then(lambda x, update, stream, mlp, norm: mlp(stream))


def _post_alone_and_with(pre: Wiring, post: Wiring) -> tuple[Answer, ...]:
    """Wrong in both kinds; then in post-norm alone."""
    both, _pre_alone, post_alone = wired(pre, post)
    return both, post_alone


STREAMS = (
    mistake(
        "second-skip-from-the-input",
        _then(
            lambda x, update, stream, mlp, norm: x + mlp(norm(stream)),
            lambda x, update, stream, mlp, norm: norm(x + mlp(stream)),
        ),
    ),
    mistake(
        "mlp-reads-the-input",
        (
            *_then(
                lambda x, update, stream, mlp, norm: stream + mlp(norm(x)),
                lambda x, update, stream, mlp, norm: norm(stream + mlp(x)),
            ),
            *wired(
                lambda x, attend, mlp, norm_1, norm_2: x + attend(norm_1(x)) + mlp(norm_1(x)),
                lambda x, attend, mlp, norm_1, norm_2: norm_1(x + attend(x) + mlp(x)),
            ),
            *wired(
                lambda x, attend, mlp, norm_1, norm_2: (
                    x + attend(norm_1(x)) + mlp(norm_2(norm_1(x)))
                ),
                lambda x, attend, mlp, norm_1, norm_2: norm_2(x + attend(x) + mlp(x)),
            ),
        ),
    ),
    mistake(
        "attention-lost",
        _then(
            lambda x, update, stream, mlp, norm: x + mlp(norm(x)),
            lambda x, update, stream, mlp, norm: norm(x + mlp(x)),
        ),
    ),
    mistake(
        "mlp-reads-the-update",
        _then(
            lambda x, update, stream, mlp, norm: stream + mlp(norm(update)),
            lambda x, update, stream, mlp, norm: norm(stream + mlp(update)),
        ),
    ),
    mistake(
        "one-skip-for-both",
        (
            *wired(
                _one_skip,
                lambda x, attend, mlp, norm_1, norm_2: norm_2(x + mlp(norm_1(attend(x)))),
            ),
            *_post_alone_and_with(
                _one_skip, lambda x, attend, mlp, norm_1, norm_2: norm_2(x + mlp(attend(x)))
            ),
        ),
    ),
    mistake(
        "update-returned",
        (
            *wired(_both_updates, _without_the_input),
            *_post_alone_and_with(_both_updates, _both_updates_unnormalised),
            *_post_alone_and_with(_last_update, _last_update_unnormalised),
        ),
    ),
    mistake(
        "input-added-again",
        _then(
            lambda x, update, stream, mlp, norm: x + stream + mlp(norm(stream)),
            lambda x, update, stream, mlp, norm: norm(x + stream + mlp(stream)),
        ),
    ),
)

MISTAKES = (*AROUND_ONE, *NORMS, *ORDER, *STREAMS)


# ---- Cases


Make = Callable[[torch.Generator], Inputs]


def _wired(x: Tensor, kind: str, *functions: str) -> Inputs:
    attend, mlp, norm_1, norm_2 = functions
    named = {"attend": attend, "mlp": mlp, "norm_1": norm_1, "norm_2": norm_2}
    return {"x": x, **named, "kind": kind}


def _by_hand(kind: str) -> Make:
    functions = ("3 x", "x + 1", "x / 2", "x / 5")
    return lambda generator: _wired(torch.tensor([[4.0]]), kind, *functions)


def _random(
    kind: str, positions: int, *, attend: str = ATTENTION, mlp: str = NETWORK,
    norms: tuple[str, str] = (FIRST_NORM, SECOND_NORM), scale: float = 1.0,
    dtype: torch.dtype = torch.float32,
) -> Make:  # fmt: skip
    def make(generator: torch.Generator) -> Inputs:
        x = scale * torch.randn(positions, WIDTH, generator=generator, dtype=dtype)
        return _wired(x, kind, attend, mlp, *norms)

    return make


def _with_gradient(generator: torch.Generator) -> Inputs:
    inputs = _random("pre", 3, dtype=torch.float64)(generator)
    return {**inputs, "x": inputs["x"].requires_grad_()}


CASES = (
    Case(BY_HAND_PRE, _by_hand("pre")),
    Case(BY_HAND_POST, _by_hand("post")),
    Case(_("five positions, pre-norm"), _random("pre", 5), seed=1),
    Case(_("five positions, post-norm"), _random("post", 5), seed=2),
    Case(_("attention finds nothing, pre-norm"), _random("pre", 3, attend=NOTHING), seed=3),
    Case(_("attention finds nothing, post-norm"), _random("post", 3, attend=NOTHING), seed=4),
    Case(
        _("norms that change nothing, so that both kinds agree"),
        _random("post", 3, norms=(SAME, SAME)),
        seed=5,
    ),
    Case(_("a large stream, pre-norm"), _random("pre", 2, scale=100.0), seed=6),
    Case(_("a large stream, post-norm"), _random("post", 2, scale=100.0), seed=7),
    Case(_("float64, pre-norm"), _random("pre", 7, dtype=torch.float64), seed=8),
    Case(_("float64, one position, post-norm"), _random("post", 1, dtype=torch.float64), seed=9),
    Case(_("a gradient for x"), _with_gradient, seed=10),
)

ANSWERS = Answers(
    solution=block,
    alternatives=(with_a_loop, with_read_and_write, with_names_for_every_step),
    mistakes=MISTAKES,
    cases=CASES,
    run=run_with(FUNCTIONS),
)
