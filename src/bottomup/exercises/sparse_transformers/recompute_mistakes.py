"""Mistakes in computing again: what is forgotten, what is kept, where the gradient stops."""

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.sparse_transformers.recompute_parts import (
    arguments_detached,
    arguments_detached_in_a_checkpoint,
    by_hand,
    detached,
    graph_kept,
    names_dropped,
    names_refused,
    plain,
    run_twice,
    with_checkpoint,
    without_gradient,
)
from bottomup.i18n import _

SECTION = _("Compute again instead of keeping")
HAND = _("three steps on two numbers")
DROPOUT = _("dropout")
WEIGHT = _("a parameter that is no argument")
NAMED = _("numbers given by name")
SEVERAL = _("several arguments, some without a gradient")
TWICE = _("two calls, one after the other")

MEMORY = (
    Misconception(
        "nothing-forgotten",
        plain,
        _(
            "Values and gradients are right, but everything that the function makes on the way is "
            "still kept, and nothing is computed again. In a stack of layers the memory is what it "
            "was. The first run must not be recorded: let autograd see only the arguments."
        ),
        SECTION,
        (graph_kept,),
        HAND,
    ),
    Misconception(
        "one-run-too-many",
        run_twice,
        _(
            "The function runs more often than it has to: once forward and once more in the "
            "backward pass is enough. Each further run costs the time of a forward pass. Use the "
            "value of the first run, and get all gradients from one second run."
        ),
        SECTION,
        (by_hand(forward_runs=2), by_hand(backward_runs=2), by_hand(backward_runs=3)),
        HAND,
    ),
    Misconception(
        "one-memory-for-all-calls",
        by_hand(shares_args=True),
        _(
            "The arguments, or the generator's state, are kept in one place for all calls. The "
            "second call overwrites the first one's, whose gradient is then computed at the wrong "
            "point. In a stack each layer is called before any backward pass: keep them by call, "
            "on `ctx`."
        ),
        SECTION,
        (by_hand(shares_state=True), by_hand(shares_args=True, shares_state=True)),
        TWICE,
    ),
)

RANDOMNESS = (
    Misconception(
        "other-random-numbers",
        by_hand(restores=False),
        _(
            "The second run draws other random numbers than the first. Dropout then drops other "
            "entries, and the gradient belongs to a value that was never used; nothing complains, "
            "training only gets noisier. Take `torch.get_rng_state()` before the first run, not "
            "after it, and set it before the second."
        ),
        SECTION,
        (with_checkpoint(preserve_rng_state=False), by_hand(state_after=True)),
        DROPOUT,
    ),
    Misconception(
        "generator-not-put-back",
        by_hand(puts_back=False),
        _(
            "Values and gradients are right, but the backward pass leaves torch's generator where "
            "the second run ended. What is drawn next has been drawn before: each step's dropout "
            "repeats numbers of the step before it. Put back the state that you found."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "seeded-in-each-run",
        by_hand(seed=0),
        _(
            "The generator is seeded in every run. Both runs then draw alike, but so do all "
            "calls: each layer and each step drops the same entries, and whoever seeded the "
            "generator before gets other numbers. Keep the state that is there and restore it."
        ),
        SECTION,
        tuple(by_hand(seed=seed) for seed in (1, 7, 42, 123, 1234)),
        DROPOUT,
    ),
)

GRADIENTS = (
    Misconception(
        "no-gradient",
        without_gradient,
        _(
            "Nothing leads back from the value: it was computed without autograd, or detached. "
            "That does save the memory, and the layer learns nothing, and neither does any layer "
            "below it. The value needs a backward function that runs the function again."
        ),
        SECTION,
        (detached,),
        HAND,
    ),
    Misconception(
        "arguments-detached",
        arguments_detached,
        _(
            "The arguments were detached before the function saw them, so its parameters get their "
            "gradient and everything below gets none. The second run does start from detached "
            "tensors, but their gradients have to be handed on to the arguments."
        ),
        SECTION,
        (arguments_detached_in_a_checkpoint,),
        WEIGHT,
    ),
    Misconception(
        "second-run-not-recorded",
        by_hand(records=False),
        _(
            "The second run is not recorded either, so there is nothing to go back through, and "
            "autograd says that the value does not require grad. Inside `backward` recording is "
            "off, as it is inside `forward`. Put the second run into `with torch.enable_grad():`."
        ),
        SECTION,
        (by_hand(records=False, by_grad=True),),
        HAND,
    ),
    Misconception(
        "gradients-not-handed-on",
        by_hand(hands_on=False),
        _(
            "The second run computes the gradients of its arguments, but `backward` returns None "
            "for them, so none reaches x or a layer below. What a detached tensor collects in "
            "`.grad` stays there. Return one gradient for each argument of `forward`, in their "
            "order, and None for what is no tensor."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "parameters-without-gradient",
        by_hand(by_grad=True),
        _(
            "The arguments get their gradient, the parameters that the function uses get none. "
            "torch.autograd.grad finds gradients only of what it is given, and the parameters are "
            "no arguments. Call value.backward(gradient) in the second run: it reaches them."
        ),
        SECTION,
        case=WEIGHT,
    ),
    Misconception(
        "incoming-gradient-ignored",
        by_hand(ones=True),
        _(
            "The second run starts its backward pass with ones, as value.sum().backward() does. "
            "What the layers above ask for is lost, and every layer is trained as if the sum of "
            "its outputs were the loss. Hand in what came: value.backward(gradient)."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "not-detached-in-the-second-run",
        by_hand(detaches=False),
        _(
            "The second run uses the arguments themselves, so its backward pass already adds to "
            "their gradient, and what is returned is added once more. Where an argument comes from "
            "another layer, that layer is gone through twice. Detach the arguments first."
        ),
        SECTION,
        case=HAND,
    ),
)

CALLING = (
    Misconception(
        "names-not-passed",
        names_dropped,
        _(
            "What is given by name does not reach the function, or not its second run. The "
            "wrapped function either refuses it or computes with the defaults, in the second run "
            "the gradient alone. Take `*args, **kwargs` and hand on both; `apply` of an autograd "
            "function takes no names, so pass kwargs as one argument."
        ),
        SECTION,
        (names_refused, by_hand(passes_names=False)),
        NAMED,
    ),
)

MISCONCEPTIONS = (*MEMORY, *RANDOMNESS, *GRADIENTS, *CALLING)
