"""Drawings of chapter 12: the names in the file of a published encoder, and its records."""

from collections.abc import Mapping, Sequence
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from bottomup import results
from bottomup.drawings import Canvas, Drawing, Picture, Wide, left_open
from bottomup.drawings.engine.numbers import signed
from bottomup.drawings.engine.tables import percent
from bottomup.drawings.engine.words import width
from bottomup.drawings.representation_curves import SMALL, Axes, Curve
from bottomup.experiments.pretrained.quantities import HEAD
from bottomup.models.bert_encoder import LAYER
from bottomup.results.pretrained import who_is_it

RECORD, AGAIN = "pretrained.json", "pretrained_again.json"
PIECES = {
    "Michael Jordan": ("michael", "jordan"),
    "Lionel Messi": ("lionel", "mess", "##i"),
    "Hidetoshi Nakata": ("hide", "##tos", "##hi", "nak", "##ata"),
}
TOLD = "The cat ate the meat because it was"
ENDS = "hungry", "fresh"
CHANCE = 1 / 8  # of one profession of eight
LAYERS = range(1, 7)
KINDS = "lit", "second"  # how a step by attention looks, and one by an MLP
BELOW = "layer (0: the embedding)"
STEPS = "Blue: a step by attention. Orange: a step by an MLP."


def pieces() -> Drawing:
    canvas = Wide(360, 148)
    for row, (name, cut) in enumerate(PIECES.items()):
        x, y = 0.0, 50.0 * row
        canvas.note(x, y + 8, name, anchor="start")
        for piece in cut:
            wide = width(piece, 13) + 20
            look = "second" if piece.startswith("##") else "lit"
            canvas.box(x, y + 18, wide, 24, piece, look=look)
            x += wide + 4
        canvas.text(360, y + 30, f"{len(cut)} pieces", size=12, anchor="end")
    said = "; ".join(f"{name}: {', '.join(cut)}" for name, cut in PIECES.items())
    return Picture("How names are cut into pieces", canvas).says(
        f"A name is cut from left to right, each time into the longest piece in the list. {said}.",
        caption="Orange: ## marks a piece that continues a word.",
    )


def file_and_layer() -> Drawing:
    canvas, left, right = Wide(360, 244), 178.0, 226.0
    canvas.text(left / 2, 10, "in the file", size=12.5)
    canvas.text(right + 30, 10, "in our layer", size=12.5)
    paths = list(LAYER)
    for row, (path, name) in enumerate(LAYER.items()):
        y = 26 + 27.0 * row
        theirs = canvas.box(1, y, left - 1, 22, name, look="second", size=11.5)
        ours = canvas.box(right, y, 60, 22, _symbol(path), look="lit", size=12)
        canvas.line(theirs.right, ours.left)
    for part, name in (("attention", "attention"), ("feed_forward", "MLP")):
        rows = [row for row, path in enumerate(paths) if path.split(".")[0] == part]
        top, low, x = 26 + 27.0 * rows[0], 48 + 27.0 * rows[-1], right + 68
        canvas.line((x - 4, top), (x, top), (x, low), (x - 4, low))
        canvas.text(x + 6, (top + low) / 2, name, size=12, anchor="start")
    said = ", ".join(
        f"{name} is {path.split('.')[-1].replace('_', ' ')}" for path, name in LAYER.items()
    )
    return Picture("The names in the file, and the parts of our layer", canvas).says(
        f"Each name in the file for one layer belongs to one part of our EncoderLayer: {said}.",
        caption="In the file, each name begins with encoder.layer and the layer's number.",
    )


def _symbol(path: str) -> str:
    kind, _, place = path.split(".")[-1].partition("_")
    return f"${kind}_{{{place}}}$" if place else kind


def it_turned(*, shown: bool = True) -> Drawing:
    canvas, looks = Wide(360, 234), who_is_it()
    for row, (words, given) in enumerate(zip(looks.words, looks.weights, strict=True)):
        _looks(canvas, 92 + 118.0 * row, words, given, shown=shown)
    cat, meat = looks.words[0].index("cat"), looks.words[0].index("meat")
    if not shown:
        return Picture("Where it looks in two sentences", canvas).says(
            f"Two sentences differ in one word: {TOLD} {' or '.join(ENDS)}. How much weight it "
            "gives to cat, and how much to meat, is open in both.",
            caption="Head 2 of layer 4.",
        )
    said = "; ".join(
        f"{end}, {percent(given[cat])} to cat and {percent(given[meat])} to meat"
        for end, given in zip(ENDS, looks.weights, strict=True)
    )
    return Picture("It turns from the cat to the meat", canvas).says(
        f"{TOLD} {' or '.join(ENDS)}. The weights that it gives in head 2 of layer 4: {said}.",
        caption="Head 2 of layer 4. Numbers below 5% are left out.",
    )


def _looks(
    canvas: Canvas, floor: float, words: Sequence[str], weights: Sequence[float], *, shown: bool
) -> None:
    """Draw how much *it* gives to each word of its sentence, a column above each word."""
    rooms = [max(width(word, SMALL) + 8, 18) for word in words]
    x = (canvas.width - sum(rooms)) / 2
    for word, room, weight in zip(words, rooms, weights, strict=True):
        middle = x + room / 2
        if word == "it":
            canvas.box(x + 1, floor + 4, room - 2, 18, look="lit")
        canvas.text(middle, floor + 13, word, size=SMALL)
        asked = word in ("cat", "meat")
        if shown:
            value = percent(weight) if weight >= 0.05 else ""
            look = "lit" if asked else ""
            canvas.column(middle - 8, floor, 16, 120 * weight, value, look=look)
        elif asked:
            canvas.text(middle, floor - 12, "?", size=14)
        x += room
    canvas.line((2, floor), (canvas.width - 2, floor))


def professions(*, shown: bool = True) -> Drawing:
    canvas, left, long, top = Wide(360, 176), 104.0, 214.0, 20.0
    found = []
    for group, (file, whom) in enumerate(((AGAIN, "well-known people"), (RECORD, "other people"))):
        y = top + 80.0 * group
        canvas.text(left, y - 8, f"{len(_array(file, 'names/right'))} {whom}", size=12.5,
                    anchor="start")  # fmt: skip
        shares = [float(_array(file, f"names/{way}").mean()) for way in ("right_table", "right")]
        found.append(shares)
        for row, (name, look) in enumerate((("table alone", "second"), ("after 6 layers", "lit"))):
            at, known = y + 4 + 28 * row, shown or row == 0
            canvas.text(left - 8, at + 11, name, size=12, anchor="end")
            canvas.bar(left, at, long * shares[row] * known, 22,
                       percent(shares[row]) if known else "?", look=look)  # fmt: skip
    x = left + long * CHANCE
    for y in (top, top + 80):
        canvas.line((x, y), (x, y + 58), look="quiet")
    canvas.note(x, top + 146, f"chance: {100 * CHANCE:.1f}%")
    famous, longer = found
    if not shown:
        return Picture("Whose profession the table finds", canvas).says(
            f"The table alone finds the profession of {percent(famous[0])} of well-known people, "
            f"and of {percent(longer[0])} of 128 others. Chance is {100 * CHANCE:.1f}%. How "
            "many are found after six layers is open."
        )
    return Picture("Whose profession the table finds, and whose the layers", canvas).says(
        f"Of well-known people, the table alone finds the profession of {percent(famous[0])}, and "
        f"six layers find it of {percent(famous[1])}. Of 128 others it is {percent(longer[0])} "
        f"and {percent(longer[1])}. Chance is {100 * CHANCE:.1f}%."
    )


def joined(*, shown: bool = True) -> Drawing:
    canvas, bounds = Wide(360, 368), ((0.11, 0.19), (0.0, 0.04), (0.0, 0.04))
    parts = {
        "last": "what the last name says",
        "first": "what the first name says",
        "person": "what is there beyond both names",
    }
    # Added, 0 makes what rounds to a negative zero a zero.
    found = {
        part: (_array(AGAIN, f"names/part_{part}").mean(axis=0).round(3) + 0.0).tolist()
        for part in parts
    }
    for row, ((part, name), (low, high)) in enumerate(zip(parts.items(), bounds, strict=True)):
        top = 32 + 112.0 * row
        axes = Axes(canvas, left=46, right=346, low=low, high=high, top=top, floor=top + 62)
        canvas.text(38, top - 16, name, size=12, anchor="start")
        marks = {mark: f"{mark:.2f}" for mark in (low, (low + high) / 2, high)}
        axes.frame(marks, "" if row < len(parts) - 1 else BELOW)
        _path(axes, found[part], shown=shown)
    if not shown:
        return Picture("What the names say before any layer", canvas).says(
            "Three panels for what speaks for the person's profession at the last name. Before any "
            f"layer, the last name brings {found['last'][0]:.2f}. The first name and the two names "
            "together bring nothing. What six layers add is open.",
            caption="In parts of a cosine. The first panel does not begin at 0.",
        )
    said = "; ".join(
        f"{name}, {found[part][0]:.2f}, {max(found[part]):.2f}, {found[part][-1]:.2f}"
        for part, name in parts.items()
    )
    return Picture("What the names say, layer by layer", canvas).says(
        "What speaks for the person's profession at the last name, before any layer, at the "
        f"highest point, and after six layers: {said}.",
        caption=f"{STEPS} In parts of a cosine. The first panel does not begin at 0.",
    )


def _path(axes: Axes, values: Sequence[float], *, shown: bool) -> None:
    """Draw 13 stations: the embedding, then attention and MLP of each layer, half a unit each."""
    places = [axes.at(number / 2, value) for number, value in enumerate(values)]
    if shown:
        for number, look in enumerate(KINDS * len(LAYERS)):
            axes.line(places[number : number + 2], look)
    else:
        axes.canvas.dot(*places[0], 4)
        axes.canvas.text((axes.left + axes.right) / 2, (axes.top + axes.floor) / 2, "?", size=16)


def frozen(*, shown: bool = True) -> Drawing:
    canvas, floor, tall = Wide(360, 186), 142.0, 104.0
    left = _array(AGAIN, "names/person_head_frozen").mean(axis=0)
    shares = (left / _array(AGAIN, "names/person").mean()).tolist()
    canvas.text(0, 10, "left of the person when this head is frozen", size=12, anchor="start")
    canvas.line((34, floor - tall), (360, floor - tall), look="quiet")
    for share in (0, 1):
        canvas.text(30, floor - tall * share, percent(share), size=SMALL, anchor="end")
    for head, share in enumerate(shares):
        x, own = 37 + 27.0 * head, head == HEAD
        canvas.text(x + 10, floor + 12, f"{head + 1}", size=SMALL)
        if shown:
            canvas.column(x, floor, 20, tall * share, percent(share) if own else "",
                          look="lit" if own else "")  # fmt: skip
        else:
            canvas.text(x + 10, floor - 12, "?", size=14)
    canvas.line((34, floor), (360, floor))
    canvas.note(194, floor + 32, "head of layer 1")
    if not shown:
        return Picture("Twelve heads, frozen one by one", canvas).says(
            "The twelve heads of layer 1. How much of the person is left when one head looks at "
            "every name with its mean weights is open for each."
        )
    others = [share for head, share in enumerate(shares) if head != HEAD]
    return Picture("One frozen head takes the person away", canvas).says(
        f"With head {HEAD + 1} of layer 1 frozen, {percent(shares[HEAD])} of the person is left. "
        f"With any other head frozen it is {percent(min(others))} to {percent(max(others))}."
    )


def opposites(*, shown: bool = True) -> Drawing:
    canvas, axis, radius = Wide(360, 136), 86.0, 3.5
    cosines = np.sort(_array(RECORD, "words/opposites_cosine")).tolist()
    marks = {-1: "opposite\ndirections", 0: "unrelated", 1: "the same\ndirection"}
    canvas.line((20, axis), (340, axis))
    for value, words in marks.items():
        x = 180 + 150.0 * value
        canvas.line((x, axis - 4), (x, axis + 4))
        canvas.text(x, axis + 14, signed(value), size=12)
        lines = words.count("\n")
        canvas.note(x, axis + 30 + 7 * lines, words)
    if not shown:
        canvas.text(180, 34, f"{len(cosines)} pairs of opposites: ?", size=12.5)
        return Picture("Where are opposites?", canvas).says(
            "An axis for the cosine of two words in the table, from minus 1 for opposite "
            f"directions through 0 to 1. Where {len(cosines)} pairs of opposites "
            "are is open."
        )
    stacks: list[float] = []  # the last place on each height
    for value in cosines:
        x = 180 + 150.0 * value
        height = next((n for n, last in enumerate(stacks) if x - last > 2 * radius), len(stacks))
        stacks[height : height + 1] = [x]
        canvas.dot(x, axis - 8 - 8 * height, radius, look="lit")
    return Picture("Opposites in the table", canvas).says(
        f"The cosines of {len(cosines)} pairs of opposites in the table lie between "
        f"{cosines[0]:.2f} and {cosines[-1]:.2f}. None is negative."
    )


def changes(*, shown: bool = True) -> Drawing:
    canvas, floor = Wide(360, 176), 132.0
    record = results.load(RECORD)
    values = [fmean(record.metric(f"layers.change_{layer}")) for layer in LAYERS]
    canvas.text(0, 10, "how much a layer changes a word's state", size=12, anchor="start")
    for layer, value in zip(LAYERS, values, strict=True):
        x = 54.0 * layer - 26
        canvas.text(x + 17, floor + 12, f"{layer}", size=SMALL)
        if shown:
            canvas.column(x, floor, 34, 270 * value, f"{value:.2f}")
        else:
            canvas.text(x + 17, floor - 12, "?", size=14)
    canvas.line((8, floor), (352, floor))
    canvas.note(180, floor + 32, "layer")
    if not shown:
        return Picture("Which layer changes the most?", canvas).says(
            "Six layers. How much each one changes a word's state is open."
        )
    return Picture("The last layer changes the most", canvas).says(
        "How much a word's state changes in each layer: 1 less the cosine of the states before "
        f"and after, {', '.join(f'{value:.2f}' for value in values)}.",
        caption="0: not at all. What all words have in common is taken off first.",
    )


def neighbours(*, shown: bool = True) -> Drawing:
    axes = _shares(
        "nearest copies of a word with the same neighbour", {0: "0%", 0.1: "+10%", 0.2: "+20%"}
    )
    canvas = axes.canvas
    record = results.load(RECORD)
    rows = [
        record.arrays[f"layers/{seed}/neighbours_{side}"].mean(axis=0)
        for seed in record.seeds
        for side in ("left", "right")
    ]
    means = np.mean(rows, axis=0).tolist()
    if not shown:
        canvas.dot(*axes.at(0, means[0]), 4, look="lit")
        canvas.text(196, 92, "?", size=16)
        return Picture("Do copies of a word find their neighbours?", canvas).says(
            "How many more of the nearest copies of a word than of all its copies have the same "
            f"neighbour: {percent(means[0])} at the embedding. What six layers make of this "
            "is open."
        )
    axes.draw([Curve("", [means], "lit")])
    return Picture("Neighbours come and go", canvas).says(
        "How many more of the nearest copies of a word than of all its copies have the same "
        f"neighbour: {percent(means[0])} at the embedding, {percent(max(means))} after layer "
        f"{int(np.argmax(means))}, {percent(means[-1])} after layer 6.",
        caption="In percentage points; the mean of left and right neighbours.",
    )


def paraphrases(*, shown: bool = True) -> Drawing:
    axes = _shares(
        "sentences that are nearer to their paraphrase",
        {share: percent(share) for share in (0, 0.25, 0.5)},
    )
    margins, table = (_array(RECORD, f"layers/paraphrase_{name}") for name in ("layers", "table"))
    shares = (margins > 0).mean(axis=0).tolist()
    alone = float((table > 0).mean())
    axes.level(alone, f"table alone: {percent(alone)}")
    _path(axes, shares, shown=shown)
    told = (
        "Each sentence has a paraphrase, and another sentence that shares more words with it. By "
        f"the mean of their words' rows in the table, {percent(alone)} are nearer to their "
        f"paraphrase. At the embedding it is {percent(shares[0])}."
    )
    if not shown:
        return Picture("Which sentence is nearer?", axes.canvas).says(
            f"{told} What six layers make of this is open."
        )
    return Picture("Which sentence is nearer, layer by layer", axes.canvas).says(
        f"{told} After layer 6 it is {percent(shares[-1])}.", caption=STEPS
    )


def _shares(title: str, marks: Mapping[float, str]) -> Axes:
    """Return the axes of a share over the layers, with a title and the share's marks."""
    canvas = Wide(360, 200)
    axes = Axes(canvas, left=46, right=346, low=0, high=max(marks), top=34, floor=156)
    canvas.text(0, 10, title, size=12, anchor="start")
    axes.frame(marks, BELOW)
    return axes


def begin_mark(*, shown: bool = True) -> Drawing:
    canvas, floor = Wide(360, 206), 162.0
    mark, words = (_array(RECORD, f"traps/length_{name}").tolist() for name in ("mark", "words"))
    canvas.text(0, 10, "length of what the MLP adds", size=12, anchor="start")
    canvas.key(196, 3, "[CLS]", look="lit", part=1)
    canvas.key(266, 3, "words", look="second", part=1)
    for layer, *both in zip(LAYERS, mark, words, strict=True):
        x = 57.0 * layer - 49
        canvas.text(x + 24, floor + 12, f"{layer}", size=SMALL)
        if shown:
            canvas.column(x, floor, 22, 0.6 * both[0], f"{both[0]:.0f}")
        else:
            canvas.text(x + 11, floor - 12, "?", size=14)
        canvas.column(x + 26, floor, 22, 0.6 * both[1], f"{both[1]:.0f}", look="second")
    canvas.line((4, floor), (356, floor))
    canvas.note(180, floor + 32, "layer")
    usual = ", ".join(f"{length:.0f}" for length in words)
    if not shown:
        return Picture("What the MLPs add to words, and to the begin mark", canvas).says(
            f"The mean length of what each layer's MLP adds to words: {usual}. How long it is at "
            "the begin mark, [CLS], is open."
        )
    return Picture("What the MLPs add to the begin mark", canvas).says(
        "The mean length of what each layer's MLP adds to the begin mark, [CLS]: "
        f"{', '.join(f'{length:.0f}' for length in mark)}. To words: {usual}."
    )


def reconstruction(*, shown: bool = True) -> Drawing:
    canvas, left = Wide(360, 96), 104.0
    record = results.load(RECORD)
    networks = "trained", "untrained"
    shares = [fmean(record.metric(f"traps.unexplained_{name}")) for name in networks]
    canvas.text(left, 10, "variance left unexplained", size=12.5, anchor="start")
    for row, (name, share) in enumerate(zip(networks, shares, strict=True)):
        y = 24.0 + 36 * row
        canvas.text(left - 8, y + 11, name, size=12, anchor="end")
        canvas.bar(left, y, 900 * share * shown, 22, percent(share) if shown else "?",
                   look="second" if row else "lit")  # fmt: skip
    if not shown:
        return Picture("Which network is easier to reconstruct?", canvas).says(
            "How much of the variance of states an autoencoder leaves unexplained, in the trained "
            "network and in an untrained one, is open."
        )
    return Picture("The untrained network is easier to reconstruct", canvas).says(
        f"An autoencoder leaves {percent(shares[0])} of the variance of states unexplained in the "
        f"trained network, and {percent(shares[1])} in an untrained one."
    )


def _array(file: str, name: str) -> NDArray[np.float64]:
    """Return an array of a record, of its first seed."""
    record, (variant, key) = results.load(file), name.split("/")
    return np.asarray(record.arrays[f"{variant}/{record.seeds[0]}/{key}"], dtype=float)


it_open = left_open(it_turned)
professions_open = left_open(professions)
joined_open = left_open(joined)
frozen_open = left_open(frozen)
opposites_open = left_open(opposites)
changes_open = left_open(changes)
neighbours_open = left_open(neighbours)
paraphrases_open = left_open(paraphrases)
begin_mark_open = left_open(begin_mark)
reconstruction_open = left_open(reconstruction)
