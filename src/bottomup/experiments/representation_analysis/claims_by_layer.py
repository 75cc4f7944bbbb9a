"""Chapter 08: claims on distances between networks, change in layers, and neighbours.

Voita et al. (2019) print curves and no table. Their numbers are read off the plots by eye, and each
row says how closely: to about three hundredths of the height of its plot. A row that has no number
says what the text or the order of the curves says. The plots are named by the headings of the
author's own account of the paper (`voita2019evolution` in the bibliography), which shows them too.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import Any

from bottomup.experiments.engine.claim import EverySeedAbove, EverySeedBelow, Rule
from bottomup.experiments.representation_analysis.findings import Findings
from bottomup.i18n import _

VOITA = "Voita et al. (2019), {plot}"
WITH_INPUT = VOITA.format(plot=_("plot of mutual information with the input"))
WITH_BOTH = VOITA.format(plot=_("plots of mutual information with input and output"))
BETWEEN_TASKS = VOITA.format(plot=_("plot of the distance between tasks"))
BETWEEN_LAYERS = VOITA.format(plot=_("plot of the change between layers"))
CHANGE = VOITA.format(plot=_("plots of the amount of change by frequency"))
INFLUENCE = VOITA.format(plot=_("plots of the amount of influence by frequency"))
SAME_TOKEN = VOITA.format(plot=_("plot of the neighbours with the same token"))
POSITION = VOITA.format(plot=_("plot of the neighbours' distance in position"))
POSITIVE = EverySeedAbove(0)

# How closely a value can be read from each plot, in its unit: nats, PWCCA distance, a share.
NATS, NATS_OF_LM, NATS_OF_MLM = 0.04, 0.1, 0.2
OF_TASKS, OF_LAYERS, OF_NEIGHBOURS = 0.01, 0.002, 0.01

# Letter, sentence, source, paper's value, what is measured, rule, value in a run.
Row = tuple[str, str, str, str, str, Rule, Callable[[Any], float]]


def read_off(values: str, within: float) -> str:
    """Say that a paper's values were read from a plot, each to plus or minus `within`."""
    text = _("{values}; read from a plot, ±{within:g}")
    return text.format(values=values, within=within)


def distance_rows(config: Mapping[str, Any]) -> list[Row]:
    """Return the claims on distances between networks.

    In the paper two objectives share their start. 08.3a to f compare across starts; j and k ask
    what the paper compares, of the same networks.
    """
    frequent = config["frequent"]
    most = _("the {count} most frequent types")
    views = {
        "all": most.format(count=config["types"]),
        "frequent": most.format(count=frequent),
        "within": _("{count} types, less each type's mean").format(count=config["within"]),
    }
    paper_starts = read_off(
        _("0.26 to 0.37 between starts, 0.41 to 0.60 between objectives that share their start"),
        OF_TASKS,
    )
    nearest = _("nearest from layer 2 on, by the plot; at layer 1 LM and MLM seem so")
    rows: list[Row] = []
    for letter, view in zip("abc", views, strict=True):
        rows.append(
            (
                letter,
                _(
                    "Across two starts, networks of one objective are on average nearer to each "
                    "other than networks of two ({view})."
                ).format(view=views[view]),
                BETWEEN_TASKS,
                paper_starts,
                _(
                    "PWCCA distance of two objectives less that of two starts of one, each a mean, "
                    "at the layer from 1 on where it is smallest; all pairs across starts"
                ),
                POSITIVE,
                partial(Findings.apart, view=view),
            )
        )
    for letter, view in zip("def", views, strict=True):
        rows.append(
            (
                letter,
                _("MT and MLM are nearer to each other than either is to LM ({view}).").format(
                    view=views[view]
                ),
                BETWEEN_TASKS,
                nearest,
                _(
                    "PWCCA distance, the nearer of LM–MT and LM–MLM less MT–MLM, mean over layers "
                    "2 to the last; pairs across starts"
                ),
                POSITIVE,
                partial(Findings.nearest, view=view),
            )
        )
    return [
        *rows,
        (
            "g",
            _("LM and MT are farthest from each other at the top ({view}).").format(
                view=views["frequent"]
            ),
            BETWEEN_TASKS,
            _("MT and MLM nearer to each other than to LM; of LM and MT nothing more is said"),
            _(
                "PWCCA distance, LM–MT less the larger of the others, last layer, {count} types; "
                "pairs across starts"
            ).format(count=frequent),
            POSITIVE,
            partial(Findings.farthest, view="frequent"),
        ),
        (
            "h",
            _("At layer 1 LM and MLM are nearer than MT and MLM ({view}).").format(
                view=views["all"]
            ),
            BETWEEN_TASKS,
            read_off(
                _("LM–MLM 0.41, MT–MLM 0.425, no farther apart than they can be read"), OF_TASKS
            ),
            _(
                "PWCCA distance at layer 1, MT–MLM less LM–MLM, {count} types; pairs across starts"
            ).format(count=config["types"]),
            POSITIVE,
            lambda run: run.across("all", "mlm_mt")[1] - run.across("all", "lm_mlm")[1],
        ),
        (
            "i",
            _(
                "At the top, two objectives from one start are farther apart than one objective "
                "from two ({view})."
            ).format(view=views["all"]),
            BETWEEN_TASKS,
            read_off(
                _("the comparison that is printed: 0.41 to 0.60 against 0.26 to 0.37"), OF_TASKS
            ),
            _(
                "PWCCA distance of two objectives from one start less that of one objective from "
                "two, each a mean over pairs, last layer, {count} types"
            ).format(count=config["types"]),
            POSITIVE,
            lambda run: run.shared_less_starts("all")[-1],
        ),
        (
            "j",
            _(
                "At every layer from 1 on, two objectives from one start are farther apart than "
                "one objective from two ({view})."
            ).format(view=views["all"]),
            BETWEEN_TASKS,
            paper_starts,
            _(
                "PWCCA distance of two objectives from one start less that of one objective from "
                "two, each a mean over pairs, at the layer from 1 on where it is smallest"
            ),
            POSITIVE,
            lambda run: min(run.shared_less_starts("all")[1:]),
        ),
        (
            "k",
            _(
                "Of objectives that share their start, MT and MLM are nearer to each other than "
                "either is to LM ({view})."
            ).format(view=views["all"]),
            BETWEEN_TASKS,
            nearest,
            _(
                "PWCCA distance, the nearer of LM–MT and LM–MLM less MT–MLM, mean over layers 2 to "
                "the last; pairs from one start"
            ),
            POSITIVE,
            partial(Findings.nearest, view="all", kind="shared"),
        ),
    ]


def change_rows(config: Mapping[str, Any], runs: Sequence[Findings]) -> list[Row]:
    """Return the claims on change and influence; of 08.4g both networks' means are told."""
    lm, mt = (
        fmean(run.rare_less_frequent(name, "influence_by_group") for run in runs)
        for name in ("lm", "mt")
    )
    both = _("PWCCA distance between neighbouring layers, {what}")
    size, last = config["group_types"], config["groups"][-1]
    rare = _("types of rank {first} to {last}").format(first=last + 1, last=last + size)
    ranks = {"rare": rare, "size": size}
    groups = ", ".join(f"{first + 1}–{first + size}" for first in config["groups"])
    return [
        (
            "a",
            _("A language model's layers change the states most."),
            BETWEEN_LAYERS,
            _("LM most of the three, by the plot"),
            both.format(what=_("mean over layers, LM less the larger of MLM and MT")),
            POSITIVE,
            lambda run: run.changed("lm") - max(run.changed("mlm"), run.changed("mt")),
        ),
        (
            "b",
            _("A translator's encoder changes the states least."),
            BETWEEN_LAYERS,
            _("MT least of the three, by the plot"),
            both.format(what=_("mean over layers, the smaller of LM and MLM less MT")),
            POSITIVE,
            lambda run: min(run.changed("lm"), run.changed("mlm")) - run.changed("mt"),
        ),
        (
            "c",
            _(
                "A translator's encoder changes the states less in its last layer than in its "
                "first."
            ),
            BETWEEN_LAYERS,
            read_off(_("0.064 to 0.039, falling at each layer"), OF_LAYERS),
            both.format(what=_("first layer less last, MT")),
            POSITIVE,
            lambda run: run.change("mt")[0] - run.change("mt")[-1],
        ),
        (
            "d",
            _("A masked language model changes states least in the middle."),
            BETWEEN_LAYERS,
            read_off(_("0.09, 0.063, 0.11"), OF_LAYERS),
            both.format(what=_("the smaller of first and last layer less the mean between, MLM")),
            POSITIVE,
            lambda run: run.ends("mlm"),
        ),
        (
            "e",
            _("Frequent tokens change more than rarer ones, in LM and MT."),
            CHANGE,
            _("stated: frequent a lot more than rare; at LM's top layers about alike"),
            both.format(
                what=_(
                    "{size} most frequent types less {rare}, mean over layers, the smaller of both"
                ).format(**ranks)
            ),
            POSITIVE,
            lambda run: (
                -max(run.rare_less_frequent(name, "change_by_group") for name in ("lm", "mt"))
            ),
        ),
        (
            "f",
            _(
                "In a masked language model's last layer rarer tokens change more than frequent "
                "ones."
            ),
            CHANGE,
            _("stated: recreating the token takes more change for rare ones"),
            both.format(
                what=_("{rare} less the {size} most frequent types, last layer, MLM").format(
                    **ranks
                )
            ),
            POSITIVE,
            lambda run: run.groups("mlm", "change_by_group")[-1],
        ),
        (
            "g",
            _("Rarer tokens influence the other tokens of the groups more, in LM and MT."),
            INFLUENCE,
            _("stated: generally, rare tokens influence more"),
            _(
                "PWCCA distance with and without the token to read, at tokens of ranks {groups} "
                "that may read it; {rare} less the {size} most frequent types, mean over layers, "
                "the smaller of both: {lm:.4f} in LM, {mt:.4f} in MT"
            )
            .format(groups=groups, lm=lm, mt=mt, **ranks)
            .replace("-", "−"),
            POSITIVE,
            lambda run: min(
                run.rare_less_frequent(name, "influence_by_group") for name in ("lm", "mt")
            ),
        ),
        (
            "h",
            _(
                "In a masked language model's first layers rarer tokens do not influence others "
                "more."
            ),
            INFLUENCE,
            _("stated: in lower layers rare tokens are not the most influential"),
            _(
                "influence as in 08.4g, {rare} less the {size} most frequent types, mean of layers "
                "1 and 2, MLM"
            ).format(**ranks),
            EverySeedBelow(0),
            lambda run: fmean(run.groups("mlm", "influence_by_group")[:2]),
        ),
    ]


def neighbour_rows(config: Mapping[str, Any]) -> list[Row]:
    """Return the claims on nearest neighbours."""
    share = _("share of the 10 nearest tokens with the same type, last layer, {what}")
    return [
        (
            "a",
            _("At the top, a masked language model's neighbours are most often the same token."),
            SAME_TOKEN,
            read_off(_("MLM 0.975, MT 0.915, LM 0.77"), OF_NEIGHBOURS),
            share.format(what=_("MLM less the larger of LM and MT")),
            POSITIVE,
            lambda run: run.same("mlm") - max(run.same("lm"), run.same("mt")),
        ),
        (
            "b",
            _("At the top, a language model's neighbours are the same token least often."),
            SAME_TOKEN,
            read_off(_("MLM 0.975, MT 0.915, LM 0.77"), OF_NEIGHBOURS),
            share.format(what=_("the smaller of MLM and MT less LM")),
            POSITIVE,
            lambda run: min(run.same("mlm"), run.same("mt")) - run.same("lm"),
        ),
        (
            "c",
            _("At the top, a translator's encoder keeps the position best."),
            POSITION,
            _("MT keeps it best, by the plot"),
            _(
                "distance in position of a token's 5 nearest of its type, over that of all pairs, "
                "mean over the 30 most frequent types: the smaller of LM and MLM less MT, last "
                "layer, after {steps:,} steps"
            ).format(steps=config["steps"]),
            POSITIVE,
            lambda run: min(run.position("lm"), run.position("mlm")) - run.position("mt"),
        ),
    ]
