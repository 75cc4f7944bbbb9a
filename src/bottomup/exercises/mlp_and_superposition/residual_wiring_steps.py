"""Mistakes around one sublayer: the skip, and the place of the norm."""

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.mlp_and_superposition.residual_wiring_parts import (
    POST,
    PRE,
    Answer,
    in_turn,
    of_kinds,
    post,
    pre,
    stepped,
    wired,
)
from bottomup.i18n import _

PLACES, STREAM = _("Before or after the layer"), _("The residual stream")
BY_HAND_PRE = _("one number, to be done in the head, pre-norm")
BY_HAND_POST = _("one number, to be done in the head, post-norm")


def mistake(
    slug: str, answers: tuple[Answer, ...], diagnosis: str, see: str, case: str = ""
) -> Misconception:
    wrong, *variants = answers
    return Misconception(slug, wrong, diagnosis, see, tuple(variants), case)


KINDS = (
    mistake(
        "kinds-exchanged",
        (of_kinds(pre=POST, post=PRE),),
        _(
            "The two kinds have changed places. In pre-norm the norm comes before the sublayer, on "
            "the branch: `x + attend(norm_1(x))`. In post-norm it comes after the addition, on the "
            "stream: `norm_1(x + attend(x))`."
        ),
        PLACES,
    ),
    mistake(
        "pre-norm-always",
        (of_kinds(post=PRE),),
        _(
            "The block is pre-norm whatever `kind` says. In the original Transformer, which is "
            "post-norm, the stream is normalised after every addition: `norm_1(x + attend(x))`. "
            "The weights of one kind do not serve the other."
        ),
        PLACES,
        BY_HAND_POST,
    ),
    mistake(
        "post-norm-always",
        (of_kinds(pre=POST),),
        _(
            "The block is post-norm whatever `kind` says. In a pre-norm block no norm stands on "
            "the stream, so that the input of the first layer reaches the last one as it is: "
            "`x + attend(norm_1(x))`."
        ),
        PLACES,
        BY_HAND_PRE,
    ),
    mistake(
        "kinds-mixed",
        (
            *wired(in_turn(pre, post), in_turn(post, pre)),
            *wired(in_turn(post, pre), in_turn(pre, post)),
            of_kinds(pre=in_turn(pre, post), post=in_turn(pre, post)),
            of_kinds(pre=in_turn(post, pre), post=in_turn(post, pre)),
        ),
        _(
            "One sublayer is wired pre-norm and the other post-norm. A single norm on the stream "
            "is enough to break the straight path of pre-norm, and a single one left out lets a "
            "post-norm stream grow. Both sublayers follow `kind`."
        ),
        PLACES,
    ),
)

NORMS = (
    mistake(
        "stream-normalised",
        stepped(
            lambda x, sublayer, norm: norm(x) + sublayer(norm(x)),
            lambda x, sublayer, norm: norm(x) + sublayer(norm(x)),
        ),
        _(
            "The normalised vector takes the stream's place, `norm(x) + sublayer(norm(x))`. With "
            "`x = norm_1(x)` the old x is gone, and the next layer can no longer read what was "
            "there. In pre-norm only the sublayer reads norm(x): keep x for the sum. In post-norm "
            "the norm takes the sum."
        ),
        PLACES,
    ),
    mistake(
        "norm-on-the-skip",
        stepped(
            lambda x, sublayer, norm: norm(x) + sublayer(x),
            lambda x, sublayer, norm: norm(x) + sublayer(x),
        ),
        _(
            "The norm acts on the skip, and the sublayer reads x as it is, `norm(x) + "
            "sublayer(x)`. What needed a bounded input gets an unbounded one, and what should stay "
            "as it is gets changed. In pre-norm it is the other way round; in post-norm the norm "
            "takes the sum."
        ),
        PLACES,
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
        _(
            "The norm acts on the update, `x + norm(sublayer(...))`. Every update then has the "
            "same length, so a sublayer that has found nothing is as loud as one that has. "
            "Pre-norm normalises what the sublayer reads, post-norm the sum of stream and update."
        ),
        PLACES,
    ),
    mistake(
        "norm-missing",
        stepped(
            lambda x, sublayer, norm: x + sublayer(x),
            lambda x, sublayer, norm: x + sublayer(x),
        ),
        _(
            "A norm is missing. The stream grows with every addition, and a sublayer that reads it "
            "as it is gets larger inputs in every layer: its softmax saturates, and the "
            "gradients vanish there. Each sublayer has its norm, in both kinds."
        ),
        PLACES,
    ),
    mistake(
        "norm-before-and-after",
        stepped(
            lambda x, sublayer, norm: norm(x + sublayer(norm(x))),
            lambda x, sublayer, norm: norm(x + sublayer(norm(x))),
        ),
        _(
            "The norm is used twice, before the sublayer and after the addition. In pre-norm the "
            "second one breaks the straight path; in post-norm the stream is normalised already, "
            "and the sublayer reads it as it is. Each norm is called once. The one more norm of a "
            "pre-norm model stands behind the last block, not at the end of each."
        ),
        PLACES,
    ),
)

SKIPS = (
    mistake(
        "skip-missing",
        stepped(
            lambda x, sublayer, norm: sublayer(norm(x)),
            lambda x, sublayer, norm: norm(sublayer(x)),
        ),
        _(
            "A skip is missing: what the sublayer returns replaces the stream. The token and its "
            "position are then lost unless every layer copies them, and the gradient reaches the "
            "first layers only through all the others. Add the update to x."
        ),
        STREAM,
    ),
)

AROUND_ONE = (*KINDS, *NORMS, *SKIPS)
