"""Chapter 04's second interactive figure: what triggers a neuron, and what it writes."""

from collections.abc import Sequence
from html import escape
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from bottomup.checks import check_integer
from bottomup.explorables.shared.explorable import Explorable
from bottomup.explorables.shared.inputs import short_words
from bottomup.explorables.shared.tables import cell, table, weight_cell
from bottomup.i18n import _
from bottomup.plotting.arrays import finite_array

__all__ = ["neuron_inspector"]

MOST_NEURONS = 128  # bars that can still be told apart on a phone
MOST_NAMES = 600  # so that the page stays light
LONGEST_NAME, LONGEST_ATTRIBUTE = 22, 14  # letters that fit side by side on a phone
TRIGGERS = 8  # names shown for a neuron
SHARES = 6  # attributes shown with their share of a neuron's activation
EFFECTS = 4  # attributes shown that a neuron promotes, and as many that it demotes
IN_TABLE = 5  # neurons of the table for viewers without script


def neuron_inspector(
    names: Sequence[str],
    facts: Sequence[int],
    attributes: Sequence[str],
    *,
    activations: ArrayLike | Tensor,
    effects: ArrayLike | Tensor,
) -> Explorable:
    """Build the figure: step through the neurons of an MLP that stores facts.

    For each neuron it shows the names that activate it most (its key), the attributes whose logits
    its value vector raises and lowers most, and whose activation it is. Its bar shows how pure it
    is::

        purity[m] = max_a  sum_{names of a} activation[m]
                           / sum_{all names} activation[m]

    the share of its activation that belongs to one attribute, negative activations counted as 0.
    A neuron that reads every name alike has the purity of the most frequent attribute, which is
    marked. The row is sorted by purity or by number.

    Args:
        names: the names the model has learnt, at most 600 of 1 to 22 letters.
        facts: for each name the place of its attribute in `attributes` [name].
        attributes: two or more, of 1 to 14 letters, each of at least one name.
        activations: what each neuron gives at the position where the attribute is predicted, after
            the activation function [name, neuron]; at most 128 neurons.
        effects: what each neuron's value vector adds to each attribute's logit for one unit of
            activation (the logit lens) [neuron, attribute].

    Source: triggers of keys and the vocabulary that a value promotes: Geva et al. (2021), sections
    3 and 4. Used in chapter 04.
    """
    people = short_words("names", names, LONGEST_NAME, (1, MOST_NAMES), distinct=True)
    values = short_words("attributes", attributes, LONGEST_ATTRIBUTE, (2, inf), distinct=True)
    known = _facts(facts, len(people), values)
    active = finite_array("activations", activations, axes=f"name={len(people)} neuron")
    neurons = active.shape[1]
    if neurons > MOST_NEURONS:
        raise ValueError(f"activations: expected at most {MOST_NEURONS} neurons, got {neurons}")
    axes = f"neuron={neurons} attribute={len(values)}"
    written = finite_array("effects", effects, axes=axes)
    belongs = _belongs(active, known, len(values))
    return Explorable(
        {
            "labels": _labels(),
            "names": people,
            "facts": known.tolist(),
            "attributes": values,
            "even": float(np.bincount(known).max() / len(known)),
            "neurons": list(map(_neuron, active.T, written, belongs)),
            "strongest": active.argmax(axis=1).tolist(),  # neuron of each name
            "promoters": written.argmax(axis=0).tolist(),  # neuron of each attribute
        },
        fallback=_fallback(people, values, active, written, belongs),
        name="neuron_inspector",
    )


def _facts(facts: Sequence[int], names: int, attributes: list[str]) -> NDArray[np.int_]:
    if len(facts) != names:
        raise ValueError(f"facts: expected {names} numbers, one a name, got {len(facts)}")
    for fact in facts:
        check_integer("facts", fact, at_least=0, below=len(attributes))
    known = np.array([int(fact) for fact in facts])
    for place, attribute in enumerate(attributes):
        if place not in known:
            raise ValueError(f"facts: no name has the attribute {attribute!r}")
    return known


def _belongs(
    activations: NDArray[np.float64], facts: NDArray[np.int_], attributes: int
) -> NDArray[np.float64]:
    """Return the share of each neuron's activation [neuron, attribute]; a silent one has zeros."""
    given = activations.clip(min=0).T @ np.eye(attributes)[facts]
    total = given.sum(axis=1, keepdims=True)
    share: NDArray[np.float64] = given / np.where(total > 0, total, 1)
    return share


def _neuron(
    activations: NDArray[np.float64], effects: NDArray[np.float64], belongs: NDArray[np.float64]
) -> dict[str, Any]:
    """Return what is shown of one neuron; lists hold pairs of a place and a number."""
    return {
        "active": int((activations > 0).sum()),
        "purity": float(belongs.max()),
        "attributes": int((belongs > 0).sum()),
        "half": _needed(belongs, 0.5),
        "triggers": _positive(activations, TRIGGERS),
        "promotes": _positive(effects, EFFECTS),
        "demotes": [[place, -number] for place, number in _positive(-effects, EFFECTS)],
        "shares": _positive(belongs, SHARES),
    }


def _positive(values: NDArray[np.float64], count: int) -> list[list[Any]]:
    return [[n, float(values[n])] for n in _largest(values, count) if values[n] > 0]


def _largest(values: NDArray[np.float64], count: int) -> list[int]:
    """Return the places of the largest values, the largest first; of equal ones the first."""
    order: list[int] = np.argsort(-values, kind="stable")[:count].tolist()
    return order


def _needed(belongs: NDArray[np.float64], share: float) -> int:
    """Return how many attributes together have `share` of the activation; 0 for a silent neuron."""
    if belongs.max() == 0:
        return 0
    reached = np.sort(belongs)[::-1].cumsum() >= share - 1e-9
    return int(reached.argmax()) + 1


def _fallback(
    names: list[str],
    attributes: list[str],
    activations: NDArray[np.float64],
    effects: NDArray[np.float64],
    belongs: NDArray[np.float64],
) -> str:
    """Return the purest neurons as a table."""
    purity = belongs.max(axis=1)
    rows = []
    for neuron in _largest(purity, IN_TABLE):
        known = "–", "–"
        if purity[neuron] > 0:
            known = attributes[belongs[neuron].argmax()], names[activations[:, neuron].argmax()]
        words = [*known, attributes[effects[neuron].argmax()]]
        cells = [weight_cell(purity[neuron]), *(cell(escape(word)) for word in words)]
        rows.append((_("neuron {number}").format(number=neuron + 1), cells))
    caption = [
        _("The purest of {count} neurons").format(count=len(purity)),
        _("Purity: the share of a neuron's activation that belongs to one attribute. "
          "Median {median}.").format(median=f"{np.median(purity):.2f}"),
    ]  # fmt: skip
    head = [_("purity"), _("attribute"), _("strongest trigger"), _("promotes most")]
    return table(caption, head, rows)


def _labels() -> dict[str, str]:
    return {
        "title": _("Neuron inspector"),
        "order": _("Order of the neurons"),
        "by_purity": _("purest first"),
        "by_number": _("by number"),
        "promoter": _("Neuron that promotes most"),
        "strongest": _("Neuron that answers most to"),
        "pick": _("choose"),
        "row": _("Every neuron, as high as it is pure: the share of its activation that belongs to "
                 "one attribute"),
        "choose": _("Neuron, arrow keys move"),
        "said": _("neuron {neuron}, purity {purity}"),
        "even": _("one that reads every name alike: {value}"),
        "mixed": _("{count} of {all} neurons stay below one half"),
        "triggers": _("Key: the names that activate it most"),
        "name": _("name"),
        "attribute": _("attribute"),
        "activation": _("activation"),
        "effects": _("Value: added to the logits"),
        "share": _("share"),
        "logit": _("logit"),
        "belongs": _("Whose activation it is"),
        "rest": _("{count} more"),
        "favourite": _("the attribute with the largest share of the neuron's activation. Logits "
                       "are those for one unit of activation."),
        "silent": _("Neuron {neuron} is active for none of the {all} names."),
        "often": _("Neuron {neuron} is active for {active} of {all} names."),
        "pure": _("“{attribute}” has {share} of its activation; to reach one half takes {half} of "
                  "{all} attributes."),
        "same": _("Its value promotes “{attribute}” most too."),
        "differs": _("Its value promotes “{attribute}” most."),
        "nothing": _("Its value promotes no attribute."),
    }  # fmt: skip
