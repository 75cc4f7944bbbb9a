"""Mistakes in the REINFORCE loss: terms, signs, and what a constant is to autograd."""

from collections.abc import Callable

from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

DRAW = _("A gradient through a draw")
BASELINE = _("A baseline")
BY_HAND = _("two draws and one baseline")
TWO_SENTENCES = _("two sentences of three tokens")


def _with(objective: Callable[[Tensor, Tensor, Tensor], Tensor]) -> Callable[..., Tensor]:
    """A wrong answer: minus the mean of another objective, given r, log p(z) and the bracket."""
    return lambda r, log_p, b: -objective(r, log_p, (r - b).detach()).mean()


def _scaled(floor: float, correction: int = 1, centred: bool = False) -> Callable[..., Tensor]:
    """The bracket over its standard deviation, as in recipes of reinforcement learning."""

    def of(r: Tensor, log_p: Tensor, bracket: Tensor) -> Tensor:
        shifted = bracket - bracket.mean() if centred else bracket
        return r + shifted / (bracket.std(correction=correction) + floor) * log_p

    return _with(of)


MISCONCEPTIONS = (
    Misconception(
        "first-term-moves-the-baseline",
        lambda r, log_p, b: -((r - b) + (r - b).detach() * log_p).mean(),
        _(
            "The first term passes a gradient to the baseline, the same whatever was drawn. Where "
            "the model computes b, this pushes b down for ever. Detach the baseline, or leave it "
            "out of the first term."
        ),
        BASELINE,
        case=BY_HAND,
    ),
    Misconception(
        "baseline-with-gradient",
        lambda r, log_p, b: -(r + (r.detach() - b) * log_p).mean(),
        _(
            "The baseline in the bracket receives a gradient. It is subtracted to calm the "
            "estimate, and nothing is gained by moving it this way: where it is computed by the "
            "model, this gradient pulls on the model's parameters and makes the estimate another "
            "one than that of the objective. Detach it together with the reward."
        ),
        BASELINE,
        (lambda r, log_p, b: -(r - b + (r.detach() - b) * log_p).mean(),),
        case=BY_HAND,
    ),
    Misconception(
        "reward-with-gradient",
        lambda r, log_p, b: -(r + (r - b.detach()) * log_p).mean(),
        _(
            "The reward in the bracket still carries a gradient, so the product rule adds log "
            "p(z) · grad log p(y|z): the readout learns with a factor of 1 + log p(z), which is "
            "negative wherever p(z) is below 0.37. There the right word becomes less likely. In "
            "the second term the reward only says how good the draw was: detach the bracket."
        ),
        DRAW,
        (
            lambda r, log_p, b: -(r + (r - b) * log_p).mean(),
            lambda r, log_p, b: -(r - b + (r - b) * log_p).mean(),
        ),
        case=BY_HAND,
    ),
    Misconception(
        "log-probability-detached",
        lambda r, log_p, b: -(r + (r - b) * log_p.detach()).mean(),
        _(
            "The wrong factor is a constant: log p(z) passes no gradient, and the reward beside it "
            "does. The attention then learns nothing, and the readout learns with a factor of "
            "1 + log p(z), negative wherever p(z) is below 0.37. Detach the bracket and let the "
            "gradient through log p(z)."
        ),
        DRAW,
        (lambda r, log_p, b: -(r + (r - b.detach()) * log_p.detach()).mean(),),
        case=BY_HAND,
    ),
    Misconception(
        "product-alone",
        lambda r, log_p, b: -(r * log_p).mean(),
        _(
            "You return the reward times log p(z) alone, and the reward is not detached. The "
            "product rule then gives r a gradient with the factor log p(z), which is negative: the "
            "right word becomes less likely. The objective has two terms: r by itself teaches the "
            "readout, and log p(z) with a detached bracket teaches the attention."
        ),
        DRAW,
        (
            lambda r, log_p, b: -((r - b) * log_p).mean(),
            lambda r, log_p, b: -((r - b.detach()) * log_p).mean(),
        ),
        case=BY_HAND,
    ),
    Misconception(
        "means-multiplied",
        lambda r, log_p, b: -(r.mean() + (r - b).detach().mean() * log_p.mean()),
        _(
            "The mean of the brackets multiplies the mean of log p(z). Every draw then gets the "
            "same bracket, a good one like a bad one, and the attention cannot learn which "
            "positions were worth reading. Multiply draw by draw, then take the mean of the "
            "products."
        ),
        DRAW,
        case=BY_HAND,
    ),
    Misconception(
        "likelihood-term-dropped",
        _with(lambda r, log_p, bracket: bracket * log_p),
        _(
            "The first term is missing: no gradient reaches log p(y|z). The attention learns where "
            "to read, and the readout never learns to predict from what was read. In a game the "
            "reward comes from outside and has no parameters; here it is computed by the model, so "
            "its own gradient belongs to the objective's."
        ),
        DRAW,
        (_with(lambda r, log_p, bracket: r.detach() + bracket * log_p),),
        case=BY_HAND,
    ),
    Misconception(
        "score-term-dropped",
        _with(lambda r, log_p, bracket: r + 0 * log_p),
        _(
            "No gradient reaches log p(z): the readout learns from the positions that were drawn, "
            "and the attention never learns which of them were good. It stays as it was "
            "initialised. The second term, bracket times log p(z), is what teaches it."
        ),
        DRAW,
        (
            lambda r, log_p, b: -r.mean(),
            _with(lambda r, log_p, bracket: r + bracket * log_p.detach()),
            lambda r, log_p, b: -(r + (r.detach() - b) * log_p.detach()).mean(),
        ),
        case=BY_HAND,
    ),
    Misconception(
        "sign-inverted",
        lambda r, log_p, b: (r + (r - b).detach() * log_p).mean(),
        _(
            "Both gradients have the wrong sign. This is the objective itself, which is to grow, "
            "and an optimizer makes what it is given smaller: the right words become less likely "
            "with every step. A loss is minus the objective."
        ),
        DRAW,
        case=BY_HAND,
    ),
    Misconception(
        "bracket-inverted",
        _with(lambda r, log_p, bracket: r - bracket * log_p),
        _(
            "The bracket has the wrong sign: baseline minus reward. A draw that was better than "
            "the baseline then becomes less probable, and the attention learns to read where the "
            "right word is hardest to predict. The bracket is reward minus baseline."
        ),
        BASELINE,
        case=BY_HAND,
    ),
    Misconception(
        "baseline-unused",
        lambda r, log_p, b: -(r + r.detach() * log_p).mean(),
        _(
            "The baseline does not enter the gradient of log p(z). All rewards are negative, being "
            "logarithms of probabilities, so every draw is discouraged, good ones a little less: "
            "right on average, and noisy. The baseline has to be subtracted inside the bracket "
            "that multiplies log p(z); outside of it, it leaves both the readout's and the "
            "attention's gradient as they are."
        ),
        BASELINE,
        (lambda r, log_p, b: -(r + r.detach() * log_p - b).mean(),),
        case=BY_HAND,
    ),
    Misconception(
        "own-mean",
        lambda r, log_p, b: -(r + (r - r.mean()).detach() * log_p).mean(),
        _(
            "Your baseline is the mean of these draws' own rewards, and the argument is not used. "
            "A mean that contains the draw's own reward shifts the estimate: with n independent "
            "draws the second term is 1/n too small on average, and with one draw it is 0. The "
            "baseline that you are given does not contain these rewards."
        ),
        BASELINE,
        (lambda r, log_p, b: -(r + (r - r.mean(-1, keepdim=True)).detach() * log_p).mean(),),
        case=BY_HAND,
    ),
    Misconception(
        "bracket-scaled",
        _scaled(0.0),
        _(
            "The brackets are divided by their standard deviation. That keeps the steps of one "
            "length, and it is done elsewhere, but the estimate is then that of another gradient: "
            "each draw is scaled by what else was in its batch, and one draw alone has no standard "
            "deviation. The bracket is r - b as it is."
        ),
        BASELINE,
        tuple(
            _scaled(floor, correction, centred)
            for floor in (0.0, 1e-8, 1e-6, 1e-5)
            for correction in (1, 0)
            for centred in (False, True)
            if (floor, correction, centred) != (0.0, 1, False)
        ),
        case=TWO_SENTENCES,
    ),
    Misconception(
        "baseline-added",
        lambda r, log_p, b: -(r + (r + b).detach() * log_p).mean(),
        _(
            "The baseline is added to the reward. Any constant leaves the mean gradient right, "
            "this one too, but it moves the bracket away from zero, and the estimate gets noisier "
            "than without a baseline. Subtract it."
        ),
        BASELINE,
        case=BY_HAND,
    ),
    Misconception(
        "bracket-on-both-terms",
        _with(lambda r, log_p, bracket: bracket * (r + log_p)),
        _(
            "The bracket multiplies both terms. It belongs to log p(z) alone: the first term is "
            "the plain gradient of log p(y|z) at the position that was read. Scaled by the "
            "bracket, the readout unlearns the right word wherever a draw was worse than the "
            "baseline."
        ),
        DRAW,
        case=BY_HAND,
    ),
    Misconception(
        "probability-for-its-logarithm",
        _with(lambda r, log_p, bracket: r + bracket * log_p.exp()),
        _(
            "The bracket multiplies p(z) instead of log p(z). How often a position is drawn "
            "already weights its gradient by p(z); with grad p(z) = p(z) grad log p(z) the weight "
            "counts twice, and rare positions hardly learn. The sum over positions has grad p(z) "
            "in it, a mean over draws has grad log p(z)."
        ),
        DRAW,
        case=BY_HAND,
    ),
    Misconception(
        "weighted-by-probability",
        _with(lambda r, log_p, bracket: log_p.exp().detach() * (r + bracket * log_p)),
        _(
            "Both terms are multiplied by p(z). That weight belongs to the sum over all positions; "
            "here the positions were drawn, and a likely one comes up more often by itself. The "
            "weight counts twice, and rare positions hardly teach anything. A mean over draws has "
            "no p(z) in it."
        ),
        DRAW,
        (
            _with(lambda r, log_p, bracket: log_p.exp() * (r + bracket * log_p)),
            lambda r, log_p, b: -(log_p.exp() * (r + (r - b).detach() * log_p)).sum(),
            lambda r, log_p, b: -(log_p.exp().detach() * (r + (r - b).detach() * log_p)).sum(),
        ),
        case=BY_HAND,
    ),
    Misconception(
        "reward-is-the-likelihood",
        lambda r, log_p, b: -(r + (r.exp() - b).detach() * log_p).mean(),
        _(
            "The reward in the bracket is p(y|z), not its logarithm. That would raise the expected "
            "probability of the right word, another objective than the mean of log p(y|z) whose "
            "gradient the first term takes: the two terms no longer belong together."
        ),
        DRAW,
        case=BY_HAND,
    ),
    Misconception(
        "summed",
        lambda r, log_p, b: -(r + (r - b).detach() * log_p).sum(),
        _(
            "The draws are summed where their mean is asked for. The direction is right, and the "
            "length grows with the number of tokens: a batch of long sentences takes larger steps "
            "than one of short ones, and the learning rate has to change with the batch size."
        ),
        DRAW,
        (
            lambda r, log_p, b: -(r + (r - b).detach() * log_p).sum(-1).mean(),
            lambda r, log_p, b: -(r + (r - b).detach() * log_p).mean(-1).sum(),
        ),
        case=TWO_SENTENCES,
    ),
)
