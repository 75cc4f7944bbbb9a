"""Mistakes in the wiring of a whole block: which stream the second sublayer continues."""

from collections.abc import Callable

from torch import Tensor

from bottomup.exercises.mlp_and_superposition.residual_wiring_parts import (
    POST,
    PRE,
    Answer,
    Function,
    Wiring,
    wired,
)
from bottomup.exercises.mlp_and_superposition.residual_wiring_steps import (
    AROUND_ONE,
    BY_HAND_POST,
    BY_HAND_PRE,
    PLACES,
    STREAM,
    mistake,
)
from bottomup.i18n import _

__all__ = ["BY_HAND_POST", "BY_HAND_PRE", "MISCONCEPTIONS"]


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
        _(
            "One norm serves both sublayers. At the start of training all gains are ones, and "
            "nothing shows; but attention and MLP need different components, and a trained model "
            "has a gain for each. norm_1 belongs to attend, norm_2 to mlp."
        ),
        PLACES,
    ),
    mistake(
        "norms-exchanged",
        wired(_with_norms(PRE, 1, 0), _with_norms(POST, 1, 0)),
        _(
            "The two norms have changed places. At the start of training they are alike, and "
            "nothing shows; with weights that were trained in the right places each sublayer gets "
            "the other's scale. norm_1 belongs to attend, norm_2 to mlp."
        ),
        PLACES,
    ),
)

ORDER = (
    mistake(
        "mlp-first",
        (
            *wired(_mlp_first(PRE, own_norms=True), _mlp_first(POST, own_norms=True)),
            *wired(_mlp_first(PRE, own_norms=False), _mlp_first(POST, own_norms=False)),
        ),
        _(
            "The MLP comes before attention. It then looks up each position alone, before anything "
            "from another position has arrived, and what attention reads waits for the next layer. "
            "attend comes first."
        ),
        STREAM,
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
        _(
            "The MLP's update is added to the block's input, where it should be added to the "
            "stream as it is after attention. The MLP alone then knows what attention has read, "
            "and no later layer can see it. Add to the current stream."
        ),
        STREAM,
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
        _(
            "The MLP reads the block's input, beside attention and not after it. Some later models "
            "do so to save time, but what attention has just read cannot be looked up in the same "
            "block. Here the MLP reads the stream that holds attention's update."
        ),
        STREAM,
    ),
    mistake(
        "attention-lost",
        _then(
            lambda x, update, stream, mlp, norm: x + mlp(norm(x)),
            lambda x, update, stream, mlp, norm: norm(x + mlp(x)),
        ),
        _(
            "What attention has read is computed and then lost: the second half starts from the "
            "block's input again. No position then learns anything from another one. Go on with "
            "the stream after the first half, under whatever name you gave it."
        ),
        STREAM,
    ),
    mistake(
        "mlp-reads-the-update",
        _then(
            lambda x, update, stream, mlp, norm: stream + mlp(norm(update)),
            lambda x, update, stream, mlp, norm: norm(stream + mlp(update)),
        ),
        _(
            "The MLP reads attention's update alone. It then does not know which token stands at "
            "its own position, unless attention has copied that too. A sublayer reads the stream: "
            "the sum of the input and everything added so far."
        ),
        STREAM,
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
        _(
            "There is one skip around the whole block. The MLP then reads what attention returns "
            "and not the token at its own position, and attention reaches the stream only through "
            "the MLP. Each sublayer has a skip of its own: add attend's update to x, then go on "
            "from the sum."
        ),
        STREAM,
    ),
    mistake(
        "update-returned",
        (
            *wired(_both_updates, _without_the_input),
            *_post_alone_and_with(_both_updates, _both_updates_unnormalised),
            *_post_alone_and_with(_last_update, _last_update_unnormalised),
        ),
        _(
            "You return what the block adds, not the stream. The block's input is missing from it, "
            "so the next block no longer sees the token, nor what earlier blocks have written. The "
            "update is added to the stream, and the stream is returned."
        ),
        STREAM,
    ),
    mistake(
        "input-added-again",
        _then(
            lambda x, update, stream, mlp, norm: x + stream + mlp(norm(stream)),
            lambda x, update, stream, mlp, norm: norm(x + stream + mlp(stream)),
        ),
        _(
            "The block's input is added once more at the end, though the stream holds it already. "
            "After n blocks the embedding would count 2^n times in a pre-norm stream, and drown "
            "every update. One skip around each sublayer is all there is."
        ),
        STREAM,
    ),
)

MISCONCEPTIONS = (*AROUND_ONE, *NORMS, *ORDER, *STREAMS)
