"""Curves of chapter 08, station by station, from its records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from string import ascii_lowercase

from bottomup import results
from bottomup.drawings import Canvas, Drawing, Picture, Point, Wide, left_open
from bottomup.drawings.engine.tables import percent
from bottomup.experiments.representation_analysis.settings import quantities

Rows = Sequence[Sequence[float]]  # [run, station]

MAIN, CAPTIONS = "representation_analysis.json", "representation_analysis_captions.json"
LONGER, DOCUMENTATION = (f"representation_analysis_{name}.json" for name in ("steps", "docstrings"))
TASKS = {"LM": "second", "MLM": "lit", "MT": ""}  # how the networks look in every drawing here
SMALL, NAMES = 11.0, 12.0  # sizes of words
_CAUSAL = "networks.untrained_causal.information"
APART = 14.0  # between two names at the ends of curves


@dataclass(frozen=True)
class Curve:
    """A line through the means over runs, with a dot for each run, and its name at the end."""

    name: str
    rows: Rows
    look: str = ""
    dashed: bool = False

    @property
    def means(self) -> list[float]:
        """The mean over the runs at each station."""
        return [fmean(values) for values in zip(*self.rows, strict=True)]


@dataclass(frozen=True)
class Axes:
    """Where stations and values lie on a canvas: station 0 at `left`, `low` at `floor`."""

    canvas: Canvas
    left: float
    right: float
    low: float
    high: float
    top: float
    floor: float
    first: int = 0  # the first station
    last: int = 6

    def at(self, station: float, value: float) -> Point:
        """Return the place of a value."""
        share = (value - self.low) / (self.high - self.low)
        along = (station - self.first) / (self.last - self.first)
        x = self.left + (self.right - self.left) * along
        return round(x, 1), round(self.floor - (self.floor - self.top) * share, 1)

    def frame(self, marks: Mapping[float, str], below: str = "station") -> None:
        """Draw the two axes, the values of `marks` and the stations."""
        x, right = self.left - 8, self.right + 8
        self.canvas.line((x, self.top - 4), (x, self.floor + 4), (right, self.floor + 4))
        for value, words in marks.items():
            y = self.at(0, value)[1]
            self.canvas.line((x - 4, y), (x, y))
            self.canvas.text(x - 7, y, words, size=SMALL, anchor="end")
        for station in range(self.first, self.last + 1):
            self.canvas.text(self.at(station, 0)[0], self.floor + 14, str(station), size=SMALL)
        self.canvas.note((self.left + self.right) / 2, self.floor + 29, below)

    def line(self, points: Sequence[Point], look: str = "", *, dashed: bool = False) -> None:
        """Draw a line, dashed in its own colour where it is asked for."""
        path = "M" + " L".join(f"{x:g} {y:g}" for x, y in points)
        look = f"{look} quiet" if dashed else look
        self.canvas.marks.append(f'<path class="line {look}" d="{path}" style="stroke-width:2"/>')

    def draw(self, curves: Sequence[Curve]) -> None:
        """Draw curves, and their names where they end, moved apart where they would meet."""
        ends = sorted((self.at(self.last, curve.means[-1])[1], n) for n, curve in enumerate(curves))
        above = -APART
        for end, number in ends:
            above = max(end, above + APART)
            curve = curves[number]
            stations = range(self.first, self.first + len(curve.means))
            dots = [self.at(s, v) for row in curve.rows for s, v in zip(stations, row, strict=True)]
            if len(curve.rows) > 1:
                self.canvas.dots(dots, 1.6, look=curve.look)
            middle = [self.at(s, v) for s, v in zip(stations, curve.means, strict=True)]
            self.line(middle, curve.look, dashed=curve.dashed)
            if curve.name:
                self.canvas.text(self.right + 12, above, curve.name, size=NAMES, anchor="start")

    def level(self, value: float, words: str) -> None:
        """Draw a value that is the same at every station, with words above it."""
        (x, y), (right, _same) = self.at(self.first, value), self.at(self.last, value)
        self.canvas.line((x - 8, y), (right + 8, y), look="quiet")
        self.canvas.note(x, y - 9, words, anchor="start")


def by_station(file: str, path: str, key: str = "plug_in") -> list[list[float]]:
    """Return what a record has at each station, a row for each run.

    Args:
        file: the record.
        path: in the metrics of a run, to a table by station or layer.
        key: which number of a station, where it has several.
    """
    return [[float(one[key]) if isinstance(one, Mapping) else float(one) for one in run.values()]
            for run in results.load(file).metric(path)]  # fmt: skip


def informations(file: str, names: Sequence[str]) -> list[Curve]:
    """Return the curves of some networks: what the clusters say of the word that went in."""
    return [Curve(name, by_station(file, f"networks.{name.lower()}.information"), TASKS[name])
            for name in names]  # fmt: skip


def _nats(*values: float) -> dict[float, str]:
    return {value: f"{value:g}" for value in values}


def _said(curves: Sequence[Curve], digits: int = 1) -> str:
    """Return where curves begin, turn and end, in words."""
    parts = []
    for curve in curves:
        means = curve.means
        lowest = min(range(len(means)), key=means.__getitem__)
        turn = "" if lowest in (0, len(means) - 1) else f", {means[lowest]:.{digits}f}"
        parts.append(f"{curve.name} {means[0]:.{digits}f}{turn}, {means[-1]:.{digits}f}")
    return "; ".join(parts)


def three_curves(*, shown: bool = True) -> Drawing:
    canvas = Wide(352, 226)
    axes = Axes(canvas, left=44, right=300, low=3.3, high=4.15, top=30, floor=186)
    canvas.text(6, 10, "what the state still says of its word, in nats", size=NAMES, anchor="start")
    axes.frame(_nats(3.4, 3.6, 3.8, 4.0), "station: the embedding, then layers 1 to 6")
    curves = informations(CAPTIONS, list(TASKS))
    axes.draw(curves if shown else curves[:1])
    if not shown:
        for number, curve in enumerate(curves[1:]):
            canvas.dot(*axes.at(0, curve.means[0]), 4, look=curve.look)
            words, y = f"{curve.name} ?", 60 + 26 * number
            canvas.text(axes.right + 12, y, words, size=NAMES, anchor="start")
        return Picture("One curve of three", canvas).says(
            "What the state still says of the word that went in, station by station. The language "
            "model's curve falls from layer to layer. The curves of the masked language model and "
            "of the translator's encoder are open.",
            caption="Small dots: three trained networks. The axis does not begin at 0.",
        )
    return Picture("Three curves", canvas).says(
        "What the state still says of the word that went in, in nats: at the embedding, at "
        f"the lowest station where the curve turns, at the top. {_said(curves, 2)}.",
        caption="Small dots: three trained networks each. The axis does not begin at 0.",
    )


def mlm_recovers() -> Drawing:
    longer = {
        "600": Curve("600", by_station(LONGER, "steps_600.mlm.information"), "", dashed=True),
        "1,800": Curve("1,800", by_station(MAIN, "networks.mlm.information")),
        "5,400": Curve("5,400", by_station(LONGER, "steps_5400.mlm.information"), "lit"),
    }
    single = [
        Curve("", [row], "lit") for row in by_station(DOCUMENTATION, "networks.mlm.information")
    ]
    panels = []
    means = [Curve(each.name, [each.means], each.look, each.dashed) for each in longer.values()]
    for title, curves in (("made-up language", means), ("documentation", single)):
        canvas = Wide(172, 214, title)
        axes = Axes(canvas, left=36, right=128, low=3.4, high=4.5, top=30, floor=172)
        axes.frame(_nats(3.5, 4.0, 4.5))
        axes.draw(curves)
        if curves[0].name:
            canvas.note(axes.right + 12, 32, "steps", anchor="start")
        panels.append(canvas)
    return Picture("Where the masked model recovers", *panels).says(
        "What the state of a masked language model still says of its word, in nats: at the "
        "embedding, at the lowest station where the curve turns, at the top. On the made-up "
        f"language, by steps of training: {_said([*longer.values()])}. On Python's documentation, "
        f"three networks, of which one clearly recovers:{_said(single)}.",
        caption="Left: means over three or five networks. Right: three networks, a line each. The "
        "axis does not begin at 0.",
    )


def before_training(*, shown: bool = True) -> Drawing:
    canvas = Wide(360, 262)
    axes = Axes(canvas, left=34, right=262, low=0, high=4.7, top=32, floor=222)
    canvas.text(6, 10, "what the state still says of its word, in nats", size=NAMES, anchor="start")
    axes.frame(_nats(0, 1, 2, 3, 4))
    axes.level(fmean(results.load(MAIN).metric("networks.lm.information.layer_0.entropy")),
               "all there is")  # fmt: skip
    curves = [
        Curve("LM", by_station(MAIN, "networks.lm.information"), "second"),
        Curve("MLM", by_station(MAIN, "networks.mlm.information"), "lit"),
        Curve("LM, untrained", by_station(MAIN, "networks.untrained_causal.information"), "second",
              dashed=True),
        Curve("MLM, untrained", by_station(MAIN, "networks.untrained.information"), "lit",
              dashed=True),
    ]  # fmt: skip
    chance = Curve("shuffled", by_station(MAIN, "networks.lm.information", "shuffled"), dashed=True)
    axes.draw([*(curves if shown else curves[:2]), chance])
    if not shown:
        canvas.text(axes.right - 20, 150, "untrained: ?", size=NAMES, anchor="start")
    if not shown:
        return Picture("Trained, and before training", canvas).says(
            "What the state still says of its word in a trained language model and a trained "
            "masked language model. Both stay far above the value for shuffled words. The curves "
            "of the same networks before training are open."
        )
    return Picture("A network that has learned nothing", canvas).says(
        "What the state still says of its word, in nats, at the embedding and at the top, "
        f"and between where the curve turns: {_said(curves)}. Before training both fall far lower.",
        caption="Dashed: before training. The made-up language, five networks each.",
    )


PROBED = "Tokens of the hundred commonest words for the probe; five networks each."


def two_tools(*, shown: bool = True) -> Drawing:
    record = results.load(MAIN)
    names = {"LM": "lm", "LM, untrained": "untrained_causal"}
    canvas, top = Wide(352, 112), 46
    canvas.text(160, 12, "clusters, in nats", size=NAMES)
    canvas.text(284, 12, "probe names the word", size=NAMES, room=140)
    found = []
    for row, (name, key) in enumerate(names.items()):
        y, look = top + 36 * row, ("second", "")[row]
        nats = fmean(record.metric(f"networks.{key}.information.layer_6.plug_in"))
        share = fmean(record.metric(f"networks.{key}.probe.layer_6.accuracy"))
        found.append([nats, share])
        canvas.text(100, y, name, size=NAMES, anchor="end")
        canvas.bar(112, y - 9, 18 * nats, 18, f"{nats:.1f}", look=look)
        canvas.bar(232, y - 9, 76 * share if shown else 0, 18, percent(share) if shown else "?",
                   look=look)  # fmt: skip
    if not shown:
        return Picture("Another tool", canvas).says(
            f"At the top, clusters say {found[0][0]:.1f} nats of the word in a trained "
            f"language model and {found[1][0]:.1f} nats before training. How often a probe names "
            "the word is open.",
            caption=PROBED,
        )
    return Picture("Two tools, two answers", canvas).says(
        f"At the top of a trained language model clusters say {found[0][0]:.1f} nats of the "
        f"word, and a probe names it in {percent(found[0][1])}. Before training it is "
        f"{found[1][0]:.1f} nats and {percent(found[1][1])}.",
        caption=PROBED,
    )


def gains(*, shown: bool = True) -> Drawing:
    pairs = {
        "LM": [Curve("input", by_station(MAIN, "networks.lm.information"), "second"),
               Curve("next", by_station(MAIN, "networks.lm.next"), "lit")],
        "MLM, a wrong word put in": [
            Curve("wrong", by_station(LONGER, "steps_5400.mlm.exchanged.read"), "second"),
            Curve("right", by_station(LONGER, "steps_5400.mlm.exchanged.original"), "lit"),
        ],
    }  # fmt: skip
    panels = []
    for title, (lost, gained) in pairs.items():
        canvas = Wide(172, 220, title)
        axes = Axes(canvas, left=28, right=126, low=0, high=4.4, top=32, floor=178)
        axes.frame(_nats(0, 2, 4))
        axes.draw([lost, gained] if shown else [lost])
        if not shown:
            canvas.text(60, 150, f"{gained.name}: ?", size=NAMES, anchor="start")
        panels.append(canvas)
    if not shown:
        return Picture("What is lost", *panels).says(
            "Station by station, what clusters say of the word that went in: in a language "
            "model, and in a masked language model where a wrong word was put in. Both fall. The "
            "curves of the word to be named, the next one and the right one, are open.",
            caption="In nats. Left: 1,800 steps of training, right: 5,400.",
        )
    lm, mlm = map(_said, pairs.values())
    return Picture("What is lost, and what is gained", *panels).says(
        f"In nats, at the embedding and at the top. Language model: {lm}. Masked language model, "
        f"where a wrong word was put in: {mlm}. There the two curves cross.",
        caption="In nats. Left: 1,800 steps of training, right: 5,400.",
    )


PAIRS = {"LM–MT": "lm_mt", "LM–MLM": "lm_mlm", "MLM–MT": "mlm_mt"}  # of two tasks
SAME = {"LM–LM": "lm_lm", "MLM–MLM": "mlm_mlm", "MT–MT": "mt_mt"}  # of one


def distances(pair: str, view: str = "frequent") -> list[list[float]]:
    """Return the distances of two kinds of network, from different starts, by run and station."""
    return by_station(MAIN, f"networks.distances.across.{view}.{pair}")


def tasks_apart(*, shown: bool = True) -> Drawing:
    canvas = Wide(360, 282)
    axes = Axes(canvas, left=40, right=270, low=0, high=0.6, top=32, floor=242)
    canvas.text(6, 10, "distance of two networks (0: alike)", size=NAMES, anchor="start")
    axes.frame(_nats(0, 0.2, 0.4, 0.6))
    same = {name: Curve("", distances(pair), dashed=True) for name, pair in SAME.items()}
    other = {name: Curve(name, distances(pair), "lit" if name == "MLM–MT" else "second")
             for name, pair in PAIRS.items()}  # fmt: skip
    untrained = Curve("untrained", distances("untrained_untrained"), dashed=True)
    axes.draw([*same.values(), untrained, *(other.values() if shown else [])])
    canvas.text(axes.right + 12, axes.at(6, 0.27)[1], "same task,\nother start", size=NAMES,
                anchor="start")  # fmt: skip
    if not shown:
        canvas.text(axes.right + 12, axes.at(6, 0.43)[1], "two tasks: ?", size=NAMES,
                    anchor="start")  # fmt: skip
    if not shown:
        return Picture("How far two networks of one task are apart", canvas).says(
            "The distance of two networks of the same task from different starts, station by "
            "station. It grows with depth and stays below that of two untrained networks. The "
            "distances of networks of two tasks are open.",
            caption="Dashed: LM with LM, MLM with MLM, MT with MT; the highest: untrained "
            "networks.",
        )
    tops = ", ".join(f"{name} {curve.means[-1]:.2f}" for name, curve in (same | other).items())
    return Picture("How far two networks are apart", canvas).says(
        f"The distance of two networks at the top: {tops}. From layer 1 on, two networks of "
        "one task are nearer to each other than those of two tasks, and of two tasks MLM "
        "and MT are the nearest pair.",
        caption="Dashed: the same task from two starts. Solid: two tasks, in blue the nearest "
        "pair. The 30 commonest words, five networks each.",
    )


def change_by_layer() -> Drawing:
    canvas = Wide(352, 220)
    axes = Axes(canvas, left=44, right=306, low=0, high=0.17, top=32, floor=180, first=1)
    canvas.text(6, 10, "how much a layer changes the states", size=NAMES, anchor="start")
    axes.frame(_nats(0, 0.05, 0.1, 0.15), "layer")
    curves = [Curve(name, by_station(MAIN, f"networks.{name.lower()}.change.all"), look)
              for name, look in TASKS.items()]  # fmt: skip
    axes.draw(curves)
    means = ", ".join(f"{curve.name} {fmean(curve.means):.2f}" for curve in curves)
    return Picture("How much a layer changes", canvas).says(
        "The distance between the states before and after a layer, on the mean over six "
        f"layers: {means}.",
        caption="Small dots: five networks each.",
    )


def neighbours_by_layer() -> Drawing:
    canvas = Wide(360, 226)
    axes = Axes(canvas, left=48, right=288, low=0.2, high=1.0, top=32, floor=186)
    canvas.text(6, 10, "nearest states that are the same word", size=NAMES, anchor="start")
    axes.frame({share: percent(share) for share in (0.25, 0.5, 0.75, 1.0)})
    names = {**{name: name.lower() for name in TASKS}, "untrained": "untrained"}
    curves = [Curve(name, by_station(MAIN, f"networks.{key}.neighbours", "share"),
                    TASKS.get(name, ""), dashed=name not in TASKS)
              for name, key in names.items()]  # fmt: skip
    axes.draw(curves)
    tops = ", ".join(f"{curve.name} {percent(curve.means[-1])}" for curve in curves)
    return Picture("Whose states lie near", canvas).says(
        f"Which share of the ten nearest states belongs to the same word, at the top: {tops}.",
        caption="Five networks each. Dashed: before training.",
    )


def documentation() -> Drawing:
    lm = informations(DOCUMENTATION, ["LM"])[0]
    untrained = Curve("untrained", by_station(DOCUMENTATION, _CAUSAL), "second", dashed=True)
    seeds = [Curve(f"MLM {number + 1}", [row], "lit") for number, row in
             enumerate(by_station(DOCUMENTATION, "networks.mlm.information"))]  # fmt: skip
    left, right = Wide(172, 214, "LM"), Wide(172, 214, "MLM")
    below = Axes(left, left=28, right=98, low=1.3, high=4.6, top=30, floor=172)
    below.frame(_nats(2, 3, 4))
    below.draw([lm, untrained])
    above = Axes(right, left=36, right=112, low=3.8, high=4.5, top=30, floor=172)
    above.frame(_nats(3.8, 4.0, 4.2, 4.4))
    above.draw(seeds)
    return Picture("On Python's documentation", left, right).says(
        "What the state still says of its word, in nats, at the embedding and at the top, and "
        f"between where the curve turns. {_said([lm, untrained])}. Three masked language models: "
        f"{_said(seeds, 2)}.",
        caption="Left: means over three networks, dashed before training. Right: three networks, a "
        "line each. The axes do not begin at 0.",
    )


def captions() -> Drawing:
    words = [*informations(CAPTIONS, list(TASKS)),
             Curve("untrained", by_station(CAPTIONS, _CAUSAL), "second", dashed=True)]  # fmt: skip
    wrong = Curve("wrong", by_station(CAPTIONS, "networks.mlm.exchanged.read"), "second")
    right = Curve("right", by_station(CAPTIONS, "networks.mlm.exchanged.original"), "lit")
    panels = []
    titles = {"the word that went in": words, "MLM, a wrong word put in": [wrong, right]}
    for title, curves in titles.items():
        canvas = Wide(172, 214, title)
        axes = Axes(canvas, left=28, right=98, low=0, high=4.4, top=30, floor=172)
        axes.frame(_nats(0, 2, 4))
        axes.draw(curves)
        panels.append(canvas)
    return Picture("On captions", *panels).says(
        "In nats, at the embedding and at the top, and between where the curve turns. The "
        f"word that went in: {_said(words)}. Masked language model, where a wrong word was put "
        f"in: {_said([wrong, right])}.",
        caption="Three networks each. Dashed: LM before training.",
    )


VERDICTS = {"holds": "lit", "undecided": "", "fails": "second"}  # how columns of claims look


def columns(shares: Mapping[str, float], verdicts: Mapping[str, str]) -> Wide:
    """Return a column for each claim, a row for each number.

    Args:
        shares: by claim, from 0 to 1.
        verdicts: by claim, `holds`, `undecided` or `fails`.
    """
    groups: dict[str, list[str]] = {}
    for claim in shares:
        groups.setdefault(claim.rstrip(ascii_lowercase), []).append(claim)
    canvas = Wide(352, 30 + 76 * len(groups))
    for n, (verdict, look) in enumerate(VERDICTS.items()):
        canvas.key(44 + 100 * n, 2, verdict, look=look, part=1)
    for row, (group, claims) in enumerate(groups.items()):
        floor = 84 + 76 * row
        canvas.text(6, floor - 18, group, size=NAMES, anchor="start")
        canvas.line((42, floor), (346, floor), look="quiet")
        for place, claim in enumerate(claims):
            x = 44 + 27.5 * place
            canvas.column(x + 3, floor, 20, 36 * shares[claim], f"{shares[claim]:.0%}"[:-1],
                          look=VERDICTS[verdicts[claim]])  # fmt: skip
            canvas.text(x + 13, floor + 10, claim.removeprefix(group), size=SMALL)
    return canvas


def held_in_settings() -> Drawing:
    held = quantities.by_setting(results.load("representation_analysis_settings.json"))
    verdicts = {claim.id: claim.verdict for claim in results.claims(results.load(MAIN))}
    shares = {claim: fmean(held[claim].values()) for claim in held if claim in verdicts}
    always = ", ".join(claim for claim, share in shares.items() if share == 1)
    never = ", ".join(claim for claim, share in shares.items() if share == 0)
    return Picture("How often each claim held in small networks", columns(shares, verdicts)).says(
        "The share of settings and seeds in which each claim held. In all of them: "
        f"{always}. In none: {never}.",
        caption="In percent of settings and seeds. The colour is the verdict on the larger "
        "networks.",
    )


three_curves_open = left_open(three_curves)
before_training_open = left_open(before_training)
two_tools_open = left_open(two_tools)
gains_open = left_open(gains)
tasks_apart_open = left_open(tasks_apart)
