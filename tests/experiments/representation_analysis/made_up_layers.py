"""Made-up numbers of chapter 08's networks, shaped as its experiments store them.

Every claim of the chapter holds of `GOOD`. A network has three layers, so four stations; a path
with ``*`` holds one number a station, or a layer where there are three of them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from bottomup import experiments
from bottomup.experiments import Claim, Record

STATIONS = 4
FACTORS = (1, 1.5, 2)  # every number of a seed's run is multiplied by this

# The choices that the main record's claims name.
CONFIG = {
    "clusters": 11, "types": 13, "frequent": 29, "within": 37, "probed": 17, "exchanged": 31,
    "groups": [0, 23, 41], "group_types": 19, "num_layers": 3, "steps": 1_100,
}  # fmt: skip

Numbers = Mapping[str, float | Sequence[float]]

# All pairs across starts; the other views hold a half and a tenth of it.
ALL = {
    "lm_lm": (0.5, 0.10, 0.20, 0.30),
    "mlm_mlm": (0.5, 0.13, 0.17, 0.23),
    "mt_mt": (0.5, 0.07, 0.11, 0.19),
    "lm_mlm": (0.5, 0.31, 0.41, 0.52),
    "lm_mt": (0.5, 0.37, 0.45, 0.61),
    "mlm_mt": (0.5, 0.40, 0.35, 0.43),
}
SHARED = {
    "lm_mlm": (0, 0.2, 0.3, 0.41),
    "lm_mt": (0, 0.2, 0.3, 0.47),
    "mlm_mt": (0, 0.2, 0.3, 0.38),
}

GOOD: dict[str, float | Sequence[float]] = {
    "lm.information.*.plug_in": (5.3, 5.0, 4.5, 4.0),
    "lm.information.*.held_out": (5.1, 4.6, 4.1, 3.7),
    "lm.probe.layer_0.accuracy": 0.99,
    "lm.probe.layer_1.accuracy": 0.98,
    "lm.probe.layer_3.accuracy": 0.93,
    "lm.neighbours.*.share": (1.0, 0.9, 0.8, 0.70),
    "lm.neighbours.*.position": (0.9, 0.2, 0.3, 0.70),
    "lm.change_by_group.*.group_0": (0.5, 0.6, 0.7),
    "lm.change_by_group.*.group_1": (0.9, 0.9, 0.9),
    "lm.change_by_group.*.group_2": (0.3, 0.3, 0.2),
    "lm.influence_by_group.*.group_0": (0.1, 0.1, 0.2),
    "lm.influence_by_group.*.group_1": (0.9, 0.9, 0.9),
    "lm.influence_by_group.*.group_2": (0.2, 0.3, 0.5),
    "lm.next.*.plug_in": (1.8, 1.9, 2.1, 2.4),
    "lm.next.*.held_out": (1.5, 1.6, 1.9, 2.2),
    "lm.change.all.*": (0.30, 0.20, 0.25),
    "mlm.loss": 2.9,
    "mlm.information.*.plug_in": (5.2, 4.7, 4.6, 5.1),
    "mlm.information.*.held_out": (5.0, 4.5, 4.6, 4.8),
    "mlm.probe.layer_3.accuracy": 0.97,
    "mlm.neighbours.*.share": (1.0, 0.5, 0.5, 0.95),
    "mlm.neighbours.*.position": (0.1, 0.2, 0.3, 0.50),
    "mlm.change_by_group.*.group_0": (0.3, 0.3, 0.2),
    "mlm.change_by_group.*.group_1": (0.9, 0.9, 0.9),
    "mlm.change_by_group.*.group_2": (0.2, 0.2, 0.5),
    "mlm.influence_by_group.*.group_0": (0.4, 0.5, 0.1),
    "mlm.influence_by_group.*.group_1": (0.9, 0.9, 0.9),
    "mlm.influence_by_group.*.group_2": (0.3, 0.2, 0.9),
    "mlm.masked.original.*.plug_in": (0.7, 1.2, 1.7, 2.0),
    "mlm.masked.original.*.held_out": (0.4, 0.9, 1.4, 1.8),
    "mlm.exchanged.read.*.plug_in": (3.7, 3.1, 2.2, 1.1),
    "mlm.exchanged.read.*.held_out": (3.4, 2.8, 1.9, 0.9),
    "mlm.exchanged.original.*.plug_in": (0.5, 0.8, 1.3, 1.9),
    "mlm.exchanged.original.*.held_out": (0.2, 0.5, 1.0, 1.3),
    "mlm.exchanged.read.*.entropy": (4.0, 4.0, 4.0, 4.2),
    "mlm.exchanged.original.*.entropy": (3.0, 3.0, 3.0, 3.1),
    "mlm.change.all.*": (0.19, 0.11, 0.18),
    "mt.information.*.plug_in": (5.4, 5.1, 4.8, 4.6),
    "mt.information.*.held_out": (5.3, 5.0, 4.7, 4.4),
    "mt.probe.layer_3.accuracy": 0.95,
    "mt.neighbours.*.share": (1.0, 0.4, 0.4, 0.90),
    "mt.neighbours.*.position": (0.8, 0.7, 0.9, 0.30),
    "mt.change_by_group.*.group_0": (0.4, 0.4, 0.5),
    "mt.change_by_group.*.group_1": (0.9, 0.9, 0.9),
    "mt.change_by_group.*.group_2": (0.3, 0.2, 0.3),
    "mt.influence_by_group.*.group_0": (0.1, 0.2, 0.1),
    "mt.influence_by_group.*.group_1": (0.9, 0.9, 0.9),
    "mt.influence_by_group.*.group_2": (0.2, 0.3, 0.2),
    "mt.change.all.*": (0.15, 0.12, 0.06),
    "untrained.information.*.plug_in": (5.5, 4.4, 4.2, 4.3),
    "untrained.masked.original.*.held_out": (0.3, 0.5, 0.4, 0.2),
    "untrained.exchanged.read.*.held_out": (3.3, 3.0, 2.9, 2.5),
    "untrained.exchanged.original.*.held_out": (0.1, 0.2, 0.1, 0.3),
    "untrained_causal.information.*.plug_in": (5.6, 5.2, 5.0, 4.9),
    "untrained_causal.next.*.held_out": (1.4, 1.5, 1.3, 1.7),
    "frequency_loss": 6.1,
    **{
        f"distances.across.{view}.{pair}.*": [factor * value for value in values]
        for view, factor in {"all": 1, "frequent": 0.5, "within": 0.1}.items()
        for pair, values in ALL.items()
    },
    **{
        f"distances.shared.{view}.{pair}.*": values
        for view in ("all", "frequent", "within")
        for pair, values in SHARED.items()
    },
}


def metrics(changes: Numbers | None = None, *, factor: float = 1) -> dict[str, Any]:
    """Return a run's table: `GOOD` with changes, every number multiplied by a factor."""
    table: dict[str, Any] = {}
    assert set(changes or {}) <= set(GOOD)
    for path, value in {**GOOD, **(changes or {})}.items():
        if isinstance(value, int | float):
            _put(table, path, factor * value)
            continue
        assert len(value) in (STATIONS, STATIONS - 1)
        for number, one in enumerate(value, STATIONS - len(value)):
            _put(table, path.replace("*", f"layer_{number}"), factor * one)
    return table


def claims(record: Record) -> dict[str, Claim]:
    """Return what a record decides, by number."""
    return {claim.id: claim for claim in experiments.claims(record)}


def _put(table: dict[str, Any], path: str, value: float) -> None:
    *names, last = path.split(".")
    for name in names:
        table = table.setdefault(name, {})
    table[last] = value
