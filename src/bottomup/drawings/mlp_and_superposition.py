"""Drawings of chapter 04."""

import math
from collections.abc import Sequence

from bottomup.drawings import Box, Canvas, Drawing, Point
from bottomup.drawings.engine.numbers import softmax
from bottomup.explorables import Explorable

Vector = list[float]
LAYERS = "attention", "MLP", "attention", "MLP"
# The hand-made memory of section 5: four people, two names each, a sport each.
NAMES = "Ada", "Bo", "Reed", "Sol"
SPORTS = "chess", "rowing"
PEOPLE = {("Ada", "Reed"): "chess", ("Ada", "Sol"): "rowing",
          ("Bo", "Reed"): "rowing", ("Bo", "Sol"): "chess"}  # fmt: skip


def stream() -> Drawing:
    """Draw the residual stream of one position through four layers."""
    canvas, x, low, step = Canvas(340, 356), 128.0, 308.0, 68.0
    below = low + 16
    canvas.text(x, low + 34, "one position of the sentence", size=11, look="quiet")
    stands = "$x_0$"
    canvas.text(x - 12, low + 6, stands, anchor="end")
    for number, name in enumerate(LAYERS, start=1):
        fork, joins = low - 4 - step * (number - 1), low - 54 - step * (number - 1)
        layer = canvas.box(218, joins + 9, 92, 32, name)
        norm = canvas.box(168, joins + 15, 30, 20, "LN", size=11)
        canvas.arrow((x, fork), (norm.center[0], fork), norm.bottom)
        canvas.arrow(norm.right, layer.left)
        canvas.line((x, below), (x, joins + 8), look="lit")
        below = _plus(canvas, x, joins).y
        canvas.arrow(layer.top, (layer.top[0], joins), (x + 8, joins))
        canvas.text(222, joins - 11, f"$u_{number}$", size=12)
        if name == "attention":
            canvas.arrow((336, layer.center[1]), layer.right, look="second")
        stands += f" + $u_{number}$"
        canvas.text(x - 12, joins - 12, stands if number < 4 else "$x_4$ = $x_0$ + … + $u_4$",
                    size=12, anchor="end")  # fmt: skip
    canvas.arrow((x, below), (x, 14), look="lit")
    return Drawing(
        title="The residual stream",
        says="Each layer reads the stream through a norm and adds its update to it. Attention also "
        "reads other positions; the MLP reads its own position alone.",
        panels=(canvas,),
        caption="In blue the stream of one position. In orange what attention reads elsewhere.",
    )


def norm_axes() -> Drawing:
    """Draw which numbers share a mean: over the components, and over the positions."""
    x = [[0.9, 0.2, 0.6, 0.3], [0.3, 0.8, 0.1, 0.4], [0.6, 0.4, 0.9, 0.7], [0.2, 0.5, 0.4, 0.1],
         [0.7, 0.9, 0.2, 0.8]]  # fmt: skip
    cell, left, top = 26.0, 62.0, 48.0
    own, across = Canvas(250, 216), Canvas(250, 216)
    for canvas, title in (own, "over the components: right"), (across, "over the positions: wrong"):
        canvas.text(left + 2 * cell, 12, title, size=12)
        canvas.text(left + 2 * cell, 34, "components", size=11, look="quiet")
        canvas.grid(left, top, x[:4], cell=cell, look="", written=".1f")
        canvas.grid(left, top + 4 * cell, x[4:], cell=cell, look="second", written=".1f")
        for place, name in (0, "first word"), (4, "last word"):
            canvas.text(left - 5, top + (place + 0.5) * cell, name, size=11, anchor="end")
    own.box(left - 2, top - 1, 4 * cell + 4, cell + 2, look="lit")
    for number, row in enumerate(x):
        y = top + (number + 0.5) * cell
        own.arrow((left + 4 * cell + 3, y), (left + 4 * cell + 22, y),
                  look=("lit", "", "", "", "second")[number])  # fmt: skip
        own.text(left + 4 * cell + 24, y, f"$μ$ = {sum(row) / 4:.2f}", size=11, anchor="start")
    across.box(left - 1, top - 2, cell + 2, 5 * cell + 4, look="lit")
    for number in range(4):
        at, foot = left + (number + 0.5) * cell, top + 5 * cell
        mean = sum(row[number] for row in x) / 5
        across.arrow((at, foot + 3), (at, foot + 18), look="second")
        across.text(at, foot + 26, f"{mean:.2f}"[1:], size=11)
    across.text(left - 5, top + 5 * cell + 26, "$μ$ =", size=11, anchor="end")
    return Drawing(
        title="Which numbers share a mean",
        says="Over the components each position has a mean of its own, and the last word is in one "
        "of five. Over the positions each component has one, and the last word is in all of them.",
        panels=(own, across),
        caption="The blue frame holds the numbers of one mean. In orange the last word and the "
        "means that it moves.",
    )


def pre_and_post() -> Drawing:
    """Draw a block with its norms before the layers, and behind them."""
    panels = []
    for kind in "pre", "post":
        canvas, x = Canvas(190, 300), 44.0
        canvas.text(x + 38, 12, f"{kind}-norm, ({3 if kind == 'pre' else 4})", size=12)
        canvas.text(x, 290, "$x$")
        below = 281.0
        for name in "attention", "MLP":
            fork = below - 18
            layer = canvas.box(84, fork - 64 if kind == "pre" else fork - 50, 90, 26, name)
            if kind == "pre":
                norm = canvas.box(107, fork - 28, 44, 18, "LN", size=11, look="second")
                canvas.arrow((x, fork), (129, fork), norm.bottom)
                canvas.arrow(norm.top, layer.bottom)
            else:
                canvas.arrow((x, fork), (129, fork), layer.bottom)
            joins = layer.y - 12
            canvas.arrow(layer.top, (129, joins), (x + 8, joins))
            canvas.line((x, below), (x, joins + 8), look="lit")
            below = _plus(canvas, x, joins).y
            if kind == "post":
                norm = canvas.box(x - 22, joins - 34, 44, 18, "LN", size=11, look="second")
                canvas.line((x, below), norm.bottom, look="lit")
                below = norm.y
        canvas.arrow((x, below), (x, 24), look="lit")
        panels.append(canvas)
    return Drawing(
        title="Before or after the layer",
        says="With pre-norm the stream runs from bottom to top and is only added to; the norm is "
        "on the way into a layer. With post-norm the stream itself passes a norm behind every "
        "addition.",
        panels=tuple(panels),
        caption="In blue the stream, in orange the norms.",
    )


def each_by_itself() -> Drawing:
    """Draw which outputs a changed word reaches: through attention, and through the MLP."""
    panels = []
    for name in "attention", "MLP":
        canvas = Canvas(220, 150)
        canvas.text(110, 12, f"{name}: in below, out above", size=12)
        places = [30.0 + 40 * i for i in range(5)]
        pairs = [(i, j) for i in range(5) for j in range(5) if name == "attention" or i == j]
        for start, end in sorted(pairs, key=lambda pair: pair[0] == 4):
            look = "second" if start == 4 else "quiet" if name == "attention" else ""
            if look == "quiet":
                canvas.line((places[start], 124), (places[end], 42), look=look)
            elif name == "attention":
                canvas.arrow((places[start], 122), (places[end], 44), look=look)
            else:
                canvas.arrow((places[start], 122), (places[start], 95), look=look)
                canvas.arrow((places[start], 71), (places[start], 44), look=look)
        for number, x in enumerate(places):
            moved = name == "attention" or number == 4
            canvas.box(x - 12, 26, 24, 16, look="second" if moved else "")
            canvas.box(x - 12, 124, 24, 16, look="second" if number == 4 else "")
            if name == "MLP":
                canvas.box(x - 17, 73, 34, 20, "MLP", size=11)
        panels.append(canvas)
    return Drawing(
        title="Which outputs one changed word reaches",
        says="The last of five words is changed. Through attention without a mask all five outputs "
        "change, through the MLP only the last one.",
        panels=tuple(panels),
        caption="In orange the word that is changed and all that changes with it.",
    )


def memory() -> Drawing:
    """Draw the hand-made memory with a bias of 0 and of -1, as Ada Reed asks it."""
    return Drawing(
        title="A memory of keys and values",
        says="Ada Reed is compared with the keys of four people. Without a bias three of the four "
        "neurons answer and both sports are written alike; with a bias of -1 only her own neuron "
        "answers, and it writes chess.",
        panels=(_asked(0.0), _asked(-1.0)),
        caption="Each row is a neuron: how well its key fits, what is left behind the ReLU, and "
        "what it writes.",
    )


def _asked(bias: float) -> Canvas:
    canvas, cell, top = Canvas(344, 228), 22.0, 86.0
    x, keys = _person(*next(iter(PEOPLE))), [_person(*names) for names in PEOPLE]
    at, act, value = 74.0, 216.0, 272.0
    canvas.text(172, 12, f"bias $b_i$ = {_signed(bias)}")
    canvas.grid(at, 34, [x], cell=cell, look="second", written=".0f")
    canvas.text(at - 6, 45, "$x$ = Ada Reed", size=11, anchor="end")
    canvas.text(at + 2 * cell, 72, "keys $k_i$", size=11)
    canvas.text(186, 72, "$k_i · x$", size=11)
    canvas.text(act + 11, 72, "$a$", size=12)
    for number, sport in enumerate(SPORTS):
        canvas.text(value + 11 + number * 40, 54, sport, size=11)
    canvas.text(value + 31, 72, "values $v_i$", size=11)
    total = [0.0, 0.0]
    for number, (names, key) in enumerate(zip(PEOPLE, keys, strict=True)):
        y = top + number * (cell + 2)
        fits = sum(a * b for a, b in zip(key, x, strict=True))
        activation = max(0.0, fits + bias)
        written = [float(PEOPLE[names] == sport) for sport in SPORTS]
        total = [t + activation * w for t, w in zip(total, written, strict=True)]
        canvas.text(at - 6, y + 11, " ".join(names), size=11, anchor="end")
        canvas.grid(at, y, [key], cell=cell, look="", written=".0f")
        canvas.text(186, y + 11, f"{fits:.0f}", size=12)
        canvas.grid(act, y, [[activation / 2]], cell=cell, look="lit")
        canvas.text(act + 11, y + 11, f"{activation:.0f}", size=11)
        if activation:
            canvas.arrow((act + cell + 2, y + 11), (value - 4, y + 11), look="lit")
        for place, part in enumerate(written):
            canvas.grid(value + place * 40, y, [[part]], cell=cell, look="", written=".0f")
    foot = top + 4 * (cell + 2) + 12
    canvas.text(value - 8, foot + 11, "sum of $a v_i$", size=11, anchor="end")
    for place, part in enumerate(total):
        canvas.grid(value + place * 40, foot, [[part / 2]], cell=cell, look="lit")
        canvas.text(value + place * 40 + 11, foot + 11, f"{part:.0f}", size=11)
    return canvas


def way() -> Explorable:
    """Draw the way of a position through one block, with attention and memory made by hand."""
    first, last = [*_person("Ada"), 0.0, 0.0], [*_person("Reed"), 0.0, 0.0]
    joined = [a + b for a, b in zip(first, last, strict=True)]
    keys = [_person(*names) for names in PEOPLE]
    activations = [max(0.0, sum(k * x for k, x in zip(key, joined[:4], strict=True)) - 1)
                   for key in keys]  # fmt: skip
    sport = [sum(a * (PEOPLE[names] == name) for a, names in zip(activations, PEOPLE, strict=True))
             for name in SPORTS]  # fmt: skip
    update = [0.0] * 4 + sport
    told = [a + b for a, b in zip(joined, update, strict=True)]
    panels = [_station(first, last) for _ in range(6)]
    panels[1] = _station(first, last, read=first, name="$u_1$ = attention's update")
    panels[2] = _station(first, joined)
    panels[3] = _station(first, joined, neurons=activations)
    panels[4] = _station(first, joined, read=update, name="$u_2$ = the MLP's update")
    panels[5] = _station(first, told)
    return Drawing(
        title="A position on its way through the stream",
        says="At the position of Reed attention adds Ada, and the memory adds the sport of both.",
        panels=tuple(panels),
    ).in_steps([
        "Two positions, each with the vector of its word: x₀.",
        "Attention at the second position reads the first: its update is the vector of Ada.",
        "The update is added. Both names now stand in one vector, and Reed is still there.",
        "The MLP compares this vector with four keys: only the neuron of Ada Reed answers.",
        "That neuron's value is the MLP's update: chess.",
        "It is added. The stream holds x₀ + u₁ + u₂, and what was there first is still there.",
    ])  # fmt: skip


def _station(
    first: Vector, last: Vector, *, read: Vector | None = None, name: str = "",
    neurons: Sequence[float] = (),
) -> Canvas:  # fmt: skip
    canvas, cell, top = Canvas(340, 240), 26.0, 44.0
    rows = [*NAMES, *SPORTS]
    for x, word, column in (62.0, "Ada", first), (130.0, "Reed", last):
        canvas.text(x + 13, 20, word, size=12)
        look = "lit" if word == "Reed" else ""
        canvas.grid(x, top, [[part] for part in column], cell=cell, look=look, written=".0f",
                    rows=rows if word == "Ada" else ())  # fmt: skip
    canvas.text(143, top + 6 * cell + 26, "the stream of Reed", size=11)
    if read is not None:
        if "1" in name:
            canvas.arrow((75, 201), (75, 211), (234, 211), (234, top + 13), (260, top + 13))
        canvas.grid(262, top, [[part] for part in read], cell=cell, look="second", written=".0f")
        canvas.text(275, top + 6 * cell + 26, name, size=11)
        canvas.arrow((258, top + 3 * cell), (160, top + 3 * cell), look="second")
        _plus(canvas, 209, top + 3 * cell)
    if neurons:
        canvas.text(264, 20, "four neurons", size=12)
        for number, (names, activation) in enumerate(zip(PEOPLE, neurons, strict=True)):
            y = top + 10 + number * 36
            canvas.arrow((160, top + 3 * cell), (206, y + 13),
                         look="second" if activation else "quiet")  # fmt: skip
            canvas.box(208, y, 112, 26, f"{' '.join(names)}: {activation:.0f}", size=12,
                       look="second" if activation else "quiet")  # fmt: skip
    return canvas


def lens() -> Drawing:
    """Draw the unembedding asked of the stream at each of its stations."""
    tokens = "cat", "sat", "mat"
    table = [[1.0, -0.6, 0.1], [-0.2, 1.1, 0.3], [-0.8, 0.2, 1.2]]  # U, three tokens
    states = [[2.0, 0.3, 0.2], [1.4, 1.6, 0.9], [0.2, 1.0, 2.3]]  # x_0, x_1, x_2
    canvas, x, top, step = Canvas(340, 252), 36.0, 34.0, 72.0
    for place, token in enumerate(tokens):
        canvas.text(238 + place * 40, 14, token, size=12)
    below = 244.0
    for number, state in enumerate(states):
        y = top + (2 - number) * step + 14
        station = canvas.box(x - 20, y - 12, 40, 24, f"$x_{number}$", look="lit")
        canvas.line((x, below), station.bottom, look="lit")
        below = station.y
        last = number == 2
        reads = canvas.box(90, y - 13, 104, 26, f"$U$ LN($x_{number}$)",
                           look="" if last else "second")  # fmt: skip
        canvas.arrow(station.right, reads.left, look="" if last else "second")
        canvas.arrow(reads.right, (216, y), look="" if last else "second")
        shares = softmax([sum(u * s for u, s in zip(row, _normal(state), strict=True))
                           for row in table])  # fmt: skip
        for place, share in enumerate(shares):
            canvas.grid(220 + place * 40, y - 16, [[share]], cell=34,
                        look="lit" if last else "second", written=".2f")  # fmt: skip
        if not last:
            canvas.text(x + 14, y - step / 2, f"layer {number + 1}", size=11, anchor="start")
    canvas.arrow((x, below), (x, 10), look="lit")
    return Drawing(
        title="The logit lens",
        says="The unembedding belongs above the last layer. The lens asks it of every station of "
        "the stream; here the most probable token changes from cat to mat.",
        panels=(canvas,),
        caption="Made-up numbers: the softmax of the logits. In orange the lens; the uppermost "
        "row is the model's own answer.",
    )


def cuts() -> Drawing:
    """Draw the way of a fact through one block, whole and with a part ablated."""
    there = {"": "Ada, Reed, chess", "attention": "Reed", "MLP": "Ada, Reed"}
    panels = []
    for cut, words in there.items():
        canvas, left, right = Canvas(190, 236), 30.0, 98.0
        canvas.text(95, 12, f"without {cut}" if cut else "intact", size=12)
        canvas.text(right, 36, words, size=12)
        for x, word in (left, "Ada"), (right, "Reed"):
            canvas.text(x, 226, word, size=12)
            canvas.line((x, 216), (x, 162 if x == right else 62), look="lit")
        plus = _plus(canvas, right, 154)
        attention = "quiet" if cut == "attention" else "second"
        canvas.line((left, 184), (64, 184), look=attention)
        canvas.arrow((64, 184), (64, 154), plus.left, look=attention)
        canvas.text(60, 136, "attention", size=11)
        above = _plus(canvas, right, 70)
        canvas.line(plus.top, above.bottom, look="lit")
        canvas.arrow(above.top, (right, 48), look="lit")
        part = "quiet" if cut == "MLP" else "second"
        mlp = canvas.box(132, 94, 50, 24, "MLP", look=part)
        canvas.arrow((right, 132), (157, 132), mlp.bottom, look=part)
        canvas.arrow(mlp.top, (157, 70), above.right, look=part)
        if cut == "attention":
            _mean(canvas, 64, 169)
        if cut == "MLP":
            _mean(canvas, 157, 80)
        panels.append(canvas)
    return Drawing(
        title="Which path of the fact is cut",
        says="Attention brings the first name to the last position, and the MLP adds the sport. If "
        "attention's update is replaced by its mean, the first name does not arrive; if the MLP's "
        "is, both names are there and the sport is not.",
        panels=tuple(panels),
        caption="Above: what the last vector holds if attention only joins and only the MLP knows. "
        "Dashed: an update replaced by its mean.",
    )


def how_much() -> Drawing:
    """Draw attention's weight on the first name as a number that depends on the pair."""
    scores = {("Ada", "Reed"): 1.4, ("Ada", "Sol"): -0.9, ("Bo", "Reed"): -0.2, ("Bo", "Sol"): 0.6}
    own = {names: softmax([score, 0.0])[0] for names, score in scores.items()}
    same = dict.fromkeys(own, sum(own.values()) / len(own))
    panels = []
    for title, weights in ("a weight for each pair", own), ("the same weight for all", same):
        canvas = Canvas(250, 138)
        canvas.text(125, 12, title, size=12)
        for number, ((first, last), weight) in enumerate(weights.items()):
            y = 38 + number * 28
            canvas.text(68, y, f"{first} {last}", size=11, anchor="end")
            canvas.box(76, y - 9, 120 * weight, 18, look="lit" if first == "Ada" else "second")
            canvas.text(82 + 120 * weight, y, f"{weight:.2f} $v$({first})", size=11,
                        anchor="start")  # fmt: skip
        panels.append(canvas)
    return Drawing(
        title="What attention reads, and how much of it",
        says="Attention reads the first name, in an amount that depends on both names: four pairs, "
        "four amounts. With the same weight for all, people with one first name get the same "
        "update.",
        panels=tuple(panels),
        caption="Made-up scores. Each bar is what the last position gets: weight times the value "
        "of the first name.",
    )


def crowded() -> Drawing:
    """Draw two directions in a plane and five, each with its table of products."""
    panels = []
    for count in 2, 5:
        canvas, cell = Canvas(196, 350), 30.0
        turn = 90 if count == 2 else 72
        columns = [_direction(90 - turn * i if count == 5 else turn * i) for i in range(count)]
        canvas.text(98, 12, f"{count} features, 2 dimensions", size=12)
        _plane(canvas, (98, 98), 52, columns)
        left, top = 98 - count * cell / 2 + 6, 198.0
        canvas.text(98, top - 27, "$W^⊤ W$", size=12)
        names = [str(i + 1) for i in range(count)]
        canvas.grid(left, top, [[0.0] * count] * count, cell=cell, look="", rows=names,
                    columns=names)  # fmt: skip
        for i, one in enumerate(columns):
            for j, other in enumerate(columns):
                product = one[0] * other[0] + one[1] * other[1]
                _number(canvas, left + j * cell, top + i * cell, product, cell,
                        "lit" if i == j else "second")  # fmt: skip
        panels.append(canvas)
    return Drawing(
        title="Two directions in a plane, and five",
        says="Two directions at right angles have no product with each other. Of five, 72 degrees "
        "apart, neighbours have a product of 0.31 and the others of minus 0.81.",
        panels=tuple(panels),
        caption="In blue what a feature reads of itself, in orange interference.",
    )


def pair_and_pentagon() -> Drawing:
    """Draw what is read of one feature in an antipodal pair and in a pentagon."""
    return Drawing(
        title="What the ReLU takes away",
        says="In a pair of opposite directions the other feature is read as minus one, and the "
        "ReLU makes it zero. In a pentagon the two neighbours are read as 0.31, which stays.",
        panels=(_read(2, bias=False), _read(5, bias=False)),
        caption="Feature 1 alone is on. In orange what is read of features that are off.",
    )


def pentagon_with_bias() -> Drawing:
    """Draw a pentagon whose columns and bias let one feature come back alone."""
    return Drawing(
        title="A pentagon with longer columns and a bias",
        says="The columns are longer than one and the bias takes away what a neighbour reads: "
        "behind the ReLU feature 1 is one and all others are zero.",
        panels=(_read(5, bias=True),),
        caption="Feature 1 alone is on; the length is the one that makes it come back as 1.",
    )


def _read(count: int, *, bias: bool) -> Canvas:
    near = math.cos(2 * math.pi / count) if bias else 0.0
    length = (1 - near) ** -0.5 if bias else 1.0
    columns = [tuple(length * part for part in _direction(90 - 360 / count * i))
               for i in range(count)]  # fmt: skip
    canvas, cell = Canvas(270, 274 if bias else 240), 38.0
    canvas.text(135, 12, f"{count} features, lengths {length:.2f}", size=12)
    _plane(canvas, (135, 86), 44 / length, columns)
    read = [sum(a * b for a, b in zip(columns[0], column, strict=True)) for column in columns]
    rows = {"$W^⊤ h$": read}
    shift = -near * length**2
    if bias:
        rows[f"$b$ = {_signed(round(shift, 2))}"] = [value + shift for value in read]
    rows["ReLU"] = [max(0.0, value + shift) for value in read]
    left = 66.0
    for i in range(count):
        canvas.text(left + (i + 0.5) * cell, 159, str(i + 1), size=11)
    for number, (name, values) in enumerate(rows.items()):
        y = 166 + number * 36
        canvas.text(left - 6, y + 17, name, size=11, anchor="end")
        for i, value in enumerate(values):
            _number(canvas, left + i * cell, y, value, cell, "lit" if i == 0 else "second", 34)
    return canvas


def autoencoder() -> Drawing:
    """Draw a sparse autoencoder that writes a vector with one direction out of five."""
    directions = [_direction(90 - 72 * i) for i in range(5)]
    h = tuple(0.8 * part for part in directions[1])
    near = math.cos(2 * math.pi / 5)
    gain, b_enc = 1 / (1 - near), -0.8 * near / (1 - near)
    f = [max(0.0, gain * (d[0] * h[0] + d[1] * h[1]) + b_enc) for d in directions]
    back = [sum(a * d[k] for a, d in zip(f, directions, strict=True)) for k in (0, 1)]
    canvas, cell, middle = Canvas(344, 232), 30.0, 104.0
    for x, name, values in (24.0, "$h$", h), (292.0, "$h'$", back):
        canvas.text(x + 15, middle - 42, name)
        for k, value in enumerate(values):
            _number(canvas, x, middle - 30 + k * cell, value, cell, "lit")
    encode = canvas.box(74, middle - 34, 46, 68, "$E$")
    decode = canvas.box(220, middle - 34, 46, 68, "$D$")
    canvas.text(170, 14, "$f$")
    for i, value in enumerate(f):
        _number(canvas, 155, middle - 75 + i * cell, value, cell, "second")
    canvas.arrow((54, middle), encode.left)
    canvas.arrow(encode.right, (155, middle))
    canvas.arrow((185, middle), decode.left)
    canvas.arrow(decode.right, (292, middle))
    canvas.text(170, 196, "few of many are not zero", size=11)
    canvas.text(39, 154, "d_input", size=11)
    canvas.text(307, 154, "d_input", size=11)
    canvas.text(170, 214, "dictionary", size=11)
    plane = Canvas(190, 232)
    plane.text(95, 14, "the columns $d_i$ of $D$, and $h$", size=12)
    _plane(plane, (95, 116), 62, directions, first="second", names="d")
    plane.arrow((95, 116), (95 + 62 * h[0], 116 - 62 * h[1]), look="lit")
    plane.text(95 + 26, 128, "$h$")
    return Drawing(
        title="A sparse autoencoder",
        says="Two numbers are encoded into five, of which one is not zero, and that one times its "
        "direction gives the two numbers back.",
        panels=(canvas, plane),
        caption="In blue the vector, in orange its code and the directions of the dictionary.",
    )


def tools() -> Drawing:
    """Draw where six tools take hold of a block."""
    canvas, x = Canvas(352, 350), 150.0
    logits = canvas.box(x - 48, 20, 96, 26, "$U$ LN($x$)")
    below = 338.0
    marks: dict[str, Point] = {}
    for number, name in enumerate(("attention", "MLP")):
        fork = 316 - number * 124
        layer = canvas.box(196, fork - 58, 92, 30, name)
        canvas.arrow((x, fork), (242, fork), layer.bottom)
        joins = fork - 82
        canvas.line((x, below), (x, joins + 8), look="lit")
        below = _plus(canvas, x, joins).y
        canvas.arrow(layer.top, (242, joins), (x + 8, joins))
        marks[name] = layer.right
        marks["update of " + name] = (218, joins)
    canvas.arrow((x, below), logits.bottom, look="lit")
    canvas.text(320, marks["attention"][1] - 50, "weights of\nattention", size=11, look="")
    canvas.arrow((320, marks["attention"][1] - 32), (320, marks["attention"][1]),
                 marks["attention"], look="second")  # fmt: skip
    at = marks["update of MLP"]
    canvas.line((at[0] - 5, at[1] + 8), (at[0] + 5, at[1] - 8), look="second")
    canvas.text(276, at[1] - 34, "ablation by zero, by mean\nor another sample", size=11)
    canvas.arrow((256, at[1] - 16), (224, at[1] - 2), look="second")
    for y, words in (213.0, "linear probe"), (168.0, "sparse autoencoder"), (78.0, "logit lens"):
        canvas.text(114, y, words, size=11, anchor="end")
        canvas.arrow((118, y), (x, y), look="second")
    return Drawing(
        title="Where each tool takes hold",
        says="Probe, autoencoder and lens look at a vector of the stream; the weights of attention "
        "are inside a layer; an ablation replaces what a layer adds.",
        panels=(canvas,),
        caption="In blue the stream, in orange where each tool takes hold.",
    )


def _person(*names: str) -> Vector:
    """Return the sum of the vectors of the names."""
    return [float(name in names) for name in NAMES]


def _direction(degrees: float) -> Point:
    return math.cos(math.radians(degrees)), math.sin(math.radians(degrees))


def _normal(x: Vector) -> Vector:
    mean = sum(x) / len(x)
    spread = math.sqrt(sum((value - mean) ** 2 for value in x) / len(x))
    return [(value - mean) / spread for value in x]


def _signed(value: float) -> str:
    return f"{value:g}".replace("-", "−")


def _plus(canvas: Canvas, x: float, y: float) -> Box:
    """Draw an addition."""
    return canvas.box(x - 8, y - 8, 16, 16, "+")


def _mean(canvas: Canvas, x: float, y: float) -> None:
    """Draw a bar across an update that is replaced by its mean."""
    canvas.line((x - 8, y), (x + 8, y))


def _number(
    canvas: Canvas, x: float, y: float, value: float, cell: float, look: str, height: float = 0
) -> None:
    """Draw a number of either sign: its size as colour, and its sign in writing."""
    height = height or cell
    canvas.grid(x + (cell - min(cell, height)) / 2, y, [[min(1.0, abs(value))]],
                cell=min(cell, height), look=look)  # fmt: skip
    shown = f"{value:.1f}" if cell < 38 else f"{value:.2f}"
    shown = shown.replace("-", "−") if float(shown) else "0"
    canvas.text(x + cell / 2, y + height / 2, shown, size=11)


def _plane(
    canvas: Canvas, middle: Point, unit: float, columns: Sequence[Sequence[float]], *,
    first: str = "lit", names: str = "W",
) -> None:  # fmt: skip
    """Draw directions as arrows from the middle, each with its name."""
    for number, (a, b) in enumerate(columns):
        length = math.hypot(a, b)
        tip = middle[0] + unit * a, middle[1] - unit * b
        canvas.arrow(middle, tip, look="second" if number else first)
        out = unit + 12 / length
        canvas.text(middle[0] + out * a, middle[1] - out * b, f"${names}_{number + 1}$", size=12)
