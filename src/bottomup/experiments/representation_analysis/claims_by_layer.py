"""Chapter 08: claims on distances between networks, change in layers, and neighbours."""

from collections.abc import Callable, Mapping
from functools import partial
from statistics import fmean
from typing import Any

from bottomup.experiments.engine.claim import EverySeedAbove, EverySeedBelow, Rule
from bottomup.experiments.representation_analysis.findings import Findings
from bottomup.i18n import _

VOITA = "Voita et al. (2019)"
POSITIVE = EverySeedAbove(0)

# Letter, sentence, source, paper's value, what is measured, rule, value in a run.
Row = tuple[str, str, str, str, str, Rule, Callable[[Any], float]]


def distance_rows(config: Mapping[str, Any]) -> list[Row]:
    """Return the claims on distances between networks."""
    frequent = config["frequent"]
    views = {
        "all": _("all frequent types"),
        "frequent": _("the {count} most frequent types").format(count=frequent),
        "within": _("less each type's mean"),
    }
    rows: list[Row] = []
    for letter, view in zip("abc", views, strict=True):
        rows.append(
            (
                letter,
                _("On average another start is nearer than another objective ({view}).").format(
                    view=views[view]
                ),
                VOITA,
                _("0.26 to 0.37 between starts, 0.41 to 0.60 between objectives"),
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
                VOITA,
                _("nearest from layer 2 on; at layer 1 LM and MLM are"),
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
            _("LM and MT are farthest from each other at the top."),
            VOITA,
            _("farthest in words"),
            _(
                "PWCCA distance, LM–MT less the larger of the others, last layer, {count} types"
            ).format(count=frequent),
            POSITIVE,
            partial(Findings.farthest, view="frequent"),
        ),
        (
            "h",
            _("At layer 1 it is LM and MLM that are nearest."),
            VOITA,
            _("LM–MLM 0.41, MT–MLM 0.425"),
            _("PWCCA distance at layer 1, MT–MLM less LM–MLM, all frequent types"),
            POSITIVE,
            lambda run: run.across("all", "mlm_mt")[1] - run.across("all", "lm_mlm")[1],
        ),
        (
            "i",
            _("Two objectives from one start are farther apart than one objective from two."),
            VOITA,
            _("the comparison that is printed: 0.41 to 0.60 against 0.26 to 0.37"),
            _("PWCCA distance, means, last layer, all frequent types"),
            POSITIVE,
            lambda run: run.shared_less_starts("all")[-1],
        ),
    ]


def change_rows(config: Mapping[str, Any]) -> list[Row]:
    """Return the claims on change and influence."""
    both = _("PWCCA distance between neighbouring layers, {what}")
    size, last = config["group_types"], config["groups"][-1]
    rare = _("types of rank {first} to {last}").format(first=last + 1, last=last + size)
    ranks = {"rare": rare, "size": size}
    return [
        (
            "a",
            _("A language model's layers change the states most."),
            VOITA,
            _("LM most of the three"),
            both.format(what=_("mean over layers, LM less the larger of MLM and MT")),
            POSITIVE,
            lambda run: run.changed("lm") - max(run.changed("mlm"), run.changed("mt")),
        ),
        (
            "b",
            _("A translator's encoder changes them least."),
            VOITA,
            _("MT least of the three"),
            both.format(what=_("mean over layers, the smaller of LM and MLM less MT")),
            POSITIVE,
            lambda run: min(run.changed("lm"), run.changed("mlm")) - run.changed("mt"),
        ),
        (
            "c",
            _("Its change declines with depth."),
            VOITA,
            _("0.064 to 0.039, falling at each layer"),
            both.format(what=_("first layer less last, MT")),
            POSITIVE,
            lambda run: run.change("mt")[0] - run.change("mt")[-1],
        ),
        (
            "d",
            _("A masked language model changes states least in the middle."),
            VOITA,
            _("0.09, 0.063, 0.11"),
            both.format(what=_("the smaller of first and last layer less the mean between, MLM")),
            POSITIVE,
            lambda run: run.ends("mlm"),
        ),
        (
            "e",
            _("Frequent tokens change more than rare ones, in LM and MT."),
            VOITA,
            _("frequent more than rare"),
            both.format(
                what=_("{size} most frequent types less {rare}, the smaller of both").format(
                    **ranks
                )
            ),
            POSITIVE,
            lambda run: (
                -max(run.rare_less_frequent(name, "change_by_group") for name in ("lm", "mt"))
            ),
        ),
        (
            "f",
            _("In a masked language model's last layer it is the rare ones that change more."),
            VOITA,
            _("rare tokens change more in the upper stage"),
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
            _("Rare tokens influence the others of their sentence more, in LM and MT."),
            VOITA,
            _("rare more than frequent"),
            _(
                "PWCCA distance with and without the token to read, at other tokens of the groups; "
                "{rare} less the {size} most frequent types, mean over layers, the smaller of both"
            ).format(**ranks),
            POSITIVE,
            lambda run: min(
                run.rare_less_frequent(name, "influence_by_group") for name in ("lm", "mt")
            ),
        ),
        (
            "h",
            _("In a masked language model's first layers rare tokens do not."),
            VOITA,
            _("rare tokens are not the most influential"),
            _("the same at the mean of layers 1 and 2, MLM"),
            EverySeedBelow(0),
            lambda run: fmean(run.groups("mlm", "influence_by_group")[:2]),
        ),
    ]


def neighbour_rows() -> list[Row]:
    """Return the claims on nearest neighbours."""
    share = _("share of the 10 nearest tokens with the same type, last layer, {what}")
    return [
        (
            "a",
            _("At the top, a masked language model's neighbours are most often the same token."),
            VOITA,
            _("MLM 0.975, MT 0.915, LM 0.77"),
            share.format(what=_("MLM less the larger of LM and MT")),
            POSITIVE,
            lambda run: run.same("mlm") - max(run.same("lm"), run.same("mt")),
        ),
        (
            "b",
            _("A language model's are the same token least often."),
            VOITA,
            _("MLM 0.975, MT 0.915, LM 0.77"),
            share.format(what=_("the smaller of MLM and MT less LM")),
            POSITIVE,
            lambda run: min(run.same("mlm"), run.same("mt")) - run.same("lm"),
        ),
        (
            "c",
            _("A translator's encoder keeps the position best."),
            VOITA,
            _("MT keeps it best"),
            _(
                "distance in position of neighbours of one type, over that of all pairs: the "
                "smaller of LM and MLM less MT, last layer"
            ),
            POSITIVE,
            lambda run: min(run.position("lm"), run.position("mlm")) - run.position("mt"),
        ),
    ]
