"""Drawings of chapter 04."""

import math
from collections.abc import Sequence

from bottomup.drawings import Canvas, Drawing, Point
from bottomup.drawings.engine.numbers import dot, signed, softmax
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
    canvas.note(x, low + 34, "one position of the sentence")
    stands = "$x_0$"
    canvas.text(x - 12, low + 6, stands, anchor="end")
    for number, name in enumerate(LAYERS, start=1):
        fork, joins = low - 4 - step * (number - 1), low - 54 - step * (number - 1)
        layer = canvas.box(218, joins + 9, 92, 32, name)
        norm = canvas.box(168, joins + 15, 30, 20, "LN", size=11)
        canvas.chain(norm, layer)
        below = canvas.beside(x, (below, fork, joins), layer, norm, look="lit").y
        canvas.text(222, joins - 11, f"$u_{number}$", size=12)
        if name == "attention":
            canvas.arrow((336, layer.center[1]), layer.right, look="second")
        stands = f"{stands} + $u_{number}$" if number < 4 else "$x_4$ = $x_0$ + … + $u_4$"
        canvas.text(x - 12, joins - 12, stands, size=12, anchor="end")
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
    right, foot = left + 4 * cell, top + 5 * cell
    own, across = Canvas(250, 216), Canvas(250, 216)
    for canvas, title in (own, "over the components: right"), (across, "over the positions: wrong"):
        canvas.text(left + 2 * cell, 12, title, size=12)
        canvas.note(left + 2 * cell, 34, "components")
        canvas.grid(left, top, x[:4], cell=cell, look="", written=".1f",
                    rows=("first word", "", "", ""))  # fmt: skip
        canvas.grid(left, foot - cell, x[4:], cell=cell, look="second", written=".1f",
                    rows=("last word",))  # fmt: skip
    own.box(left - 2, top - 1, 4 * cell + 4, cell + 2, look="lit")
    for number, (row, look) in enumerate(zip(x, ("lit", "", "", "", "second"), strict=True)):
        y = top + (number + 0.5) * cell
        own.arrow((right + 3, y), (right + 22, y), look=look)
        own.text(right + 24, y, f"$μ$ = {sum(row) / 4:.2f}", size=11, anchor="start")
    across.box(left - 1, top - 2, cell + 2, 5 * cell + 4, look="lit")
    xs = [left + (number + 0.5) * cell for number in range(4)]
    means = [f"{sum(column) / 5:.2f}"[1:] for column in zip(*x, strict=True)]
    across.arrows(xs, foot + 3, foot + 18, look="second")
    across.row(xs, foot + 26, means, size=11)
    across.text(left - 5, foot + 26, "$μ$ =", size=11, anchor="end")
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
    for title, pre in ("pre-norm, (3)", True), ("post-norm, (4)", False):
        canvas, x = Canvas(190, 300), 44.0
        canvas.text(x + 38, 12, title, size=12)
        canvas.text(x, 290, "$x$")
        below = 281.0
        for name in "attention", "MLP":
            fork = below - 18
            layer = canvas.box(84, fork - (64 if pre else 50), 90, 26, name)
            joins = layer.y - 12
            if pre:
                norm = canvas.box(107, fork - 28, 44, 18, "LN", size=11, look="second")
                canvas.chain(norm, layer)
            into = norm if pre else layer
            plus = canvas.beside(x, (below, fork, joins), layer, into, look="lit")
            below = plus.y
            if not pre:
                norm = canvas.box(x - 22, joins - 34, 44, 18, "LN", size=11, look="second")
                canvas.line(plus.top, norm.bottom, look="lit")
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
    xs, changed = [30.0 + 40 * i for i in range(5)], ("", "", "", "", "second")
    attention = Canvas(220, 150, "attention: in below, out above")
    mlp = Canvas(220, 150, "MLP: in below, out above")
    for start in xs[:4]:
        for end in xs:
            attention.line((start, 124), (end, 42), look="quiet")
    for end in xs:
        attention.arrow((xs[4], 122), (end, 44), look="second")
    mlp.arrows(xs, 122, 95, look=changed)
    mlp.boxes(xs, 73, 34, 20, ["MLP"] * 5, size=11)
    mlp.arrows(xs, 71, 44, look=changed)
    for canvas, reached in (attention, "second"), (mlp, changed):
        canvas.boxes(xs, 26, 24, 16, look=reached)
        canvas.boxes(xs, 124, 24, 16, look=changed)
    return Drawing(
        title="Which outputs one changed word reaches",
        says="The last of five words is changed. Through attention without a mask all five outputs "
        "change, through the MLP only the last one.",
        panels=(attention, mlp),
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
    canvas.text(172, 12, f"bias $b_i$ = {signed(bias)}")
    canvas.grid(at, 34, [x], cell=cell, look="second", written=".0f", rows=["$x$ = Ada Reed"])
    heads = "keys $k_i$", "$k_i · x$", "$a$", "values $v_i$"
    canvas.row((at + 2 * cell, 186, act + 11, value + 31), 72, heads, size=11)
    canvas.row((value + 11, value + 51), 54, SPORTS, size=11)
    total = [0.0, 0.0]
    for number, (names, key) in enumerate(zip(PEOPLE, keys, strict=True)):
        y, fits = top + number * (cell + 2), dot(key, x)
        activation = max(0.0, fits + bias)
        written = [float(PEOPLE[names] == sport) for sport in SPORTS]
        total = [t + activation * w for t, w in zip(total, written, strict=True)]
        canvas.grid(at, y, [key], cell=cell, look="", written=".0f", rows=[" ".join(names)])
        canvas.text(186, y + 11, f"{fits:.0f}", size=12)
        canvas.grid(act, y, [[activation / 2]], cell=cell, written=[[f"{activation:.0f}"]])
        if activation:
            canvas.arrow((act + cell + 2, y + 11), (value - 4, y + 11), look="lit")
        for place, part in enumerate(written):
            canvas.grid(value + place * 40, y, [[part]], cell=cell, look="", written=".0f")
    foot = top + 4 * (cell + 2) + 12
    canvas.text(value - 8, foot + 11, "sum of $a v_i$", size=11, anchor="end")
    for place, part in enumerate(total):
        canvas.grid(value + place * 40, foot, [[part / 2]], cell=cell, written=[[f"{part:.0f}"]])
    return canvas


def way() -> Explorable:
    """Draw the way of a position through one block, with attention and memory made by hand."""
    first, last = [*_person("Ada"), 0.0, 0.0], [*_person("Reed"), 0.0, 0.0]
    joined = [a + b for a, b in zip(first, last, strict=True)]
    keys = [_person(*names) for names in PEOPLE]
    activations = [max(0.0, dot(key, joined[:4]) - 1) for key in keys]
    sport = [dot(activations, [PEOPLE[names] == name for names in PEOPLE]) for name in SPORTS]
    update = [0.0] * 4 + sport
    told = [a + b for a, b in zip(joined, update, strict=True)]
    panels = (
        _station(first, last),
        _station(first, last, read=first, name="$u_1$ = attention's update"),
        _station(first, joined),
        _station(first, joined, neurons=activations),
        _station(first, joined, read=update, name="$u_2$ = the MLP's update"),
        _station(first, told),
    )
    return Drawing(
        title="A position on its way through the stream",
        says="At the position of Reed attention adds Ada, and the memory adds the sport of both.",
        panels=panels,
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
    middle, foot = top + 3 * cell, top + 6 * cell + 26
    canvas.row((75, 143), 20, ("Ada", "Reed"), size=12)
    canvas.grid(62, top, _upright(first), cell=cell, look="", written=".0f", rows=NAMES + SPORTS)
    canvas.grid(130, top, _upright(last), cell=cell, written=".0f")
    canvas.text(143, foot, "the stream of Reed", size=11)
    if read is not None:
        if read is first:
            canvas.arrow((75, 201), (75, 211), (234, 211), (234, top + 13), (260, top + 13))
        canvas.grid(262, top, _upright(read), cell=cell, look="second", written=".0f")
        canvas.text(275, foot, name, size=11)
        canvas.arrow((258, middle), (160, middle), look="second")
        canvas.plus(209, middle)
    if neurons:
        canvas.text(264, 20, "four neurons", size=12)
    for number, (names, activation) in enumerate(zip(PEOPLE, neurons, strict=False)):
        y, look = top + 10 + number * 36, "second" if activation else "quiet"
        canvas.arrow((160, middle), (206, y + 13), look=look)
        canvas.box(208, y, 112, 26, f"{' '.join(names)}: {activation:.0f}", size=12, look=look)
    return canvas


def _upright(vector: Vector) -> list[Vector]:
    """Return a vector as a tensor of one column."""
    return [[part] for part in vector]


def lens() -> Drawing:
    """Draw the unembedding asked of the stream at each of its stations."""
    tokens = "cat", "sat", "mat"
    table = [[1.0, -0.6, 0.1], [-0.2, 1.1, 0.3], [-0.8, 0.2, 1.2]]  # U, three tokens
    states = [[2.0, 0.3, 0.2], [1.4, 1.6, 0.9], [0.2, 1.0, 2.3]]  # x_0, x_1, x_2
    canvas, x, top, step = Canvas(340, 252), 36.0, 34.0, 72.0
    canvas.row((238, 278, 318), 14, tokens, size=12)
    below = 244.0
    for number, state in enumerate(states):
        y, last = top + (2 - number) * step + 14, number == 2
        station = canvas.box(x - 20, y - 12, 40, 24, f"$x_{number}$", look="lit")
        canvas.line((x, below), station.bottom, look="lit")
        below, look = station.y, "" if last else "second"
        reads = canvas.box(90, y - 13, 104, 26, f"$U$ LN($x_{number}$)", look=look)
        canvas.chain(station, reads, look=look)
        canvas.arrow(reads.right, (216, y), look=look)
        shares = softmax([dot(row, _normal(state)) for row in table])
        for place, share in enumerate(shares):
            canvas.grid(220 + place * 40, y - 16, [[share]], cell=34, look=look or "lit",
                        written=".2f")  # fmt: skip
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
        canvas, left, right = Canvas(190, 236, f"without {cut}" if cut else "intact"), 30.0, 98.0
        canvas.text(right, 36, words, size=12)
        canvas.row((left, right), 226, ("Ada", "Reed"), size=12)
        canvas.line((left, 216), (left, 62), look="lit")
        canvas.line((right, 216), (right, 162), look="lit")
        plus, above = canvas.plus(right, 154), canvas.plus(right, 70)
        attention, part = ("quiet" if cut == name else "second" for name in ("attention", "MLP"))
        canvas.line((left, 184), (64, 184), look=attention)
        canvas.arrow((64, 184), (64, 154), plus.left, look=attention)
        canvas.text(60, 136, "attention", size=11)
        canvas.line(plus.top, above.bottom, look="lit")
        canvas.arrow(above.top, (right, 48), look="lit")
        mlp = canvas.box(132, 94, 50, 24, "MLP", look=part)
        canvas.arrow((right, 132), (157, 132), mlp.bottom, look=part)
        canvas.arrow(mlp.top, (157, 70), above.right, look=part)
        if cut:  # a bar across the update that is replaced by its mean
            x, y = (64, 169) if cut == "attention" else (157, 80)
            canvas.line((x - 8, y), (x + 8, y))
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
        canvas = Canvas(250, 138, title)
        for number, ((first, last), weight) in enumerate(weights.items()):
            y = 38 + number * 28
            canvas.text(68, y, f"{first} {last}", size=11, anchor="end")
            canvas.bar(76, y - 9, 120 * weight, 18, f"{weight:.2f} $v$({first})",
                       look="lit" if first == "Ada" else "second")  # fmt: skip
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
    for columns in [_direction(0), _direction(90)], [_direction(90 - 72 * i) for i in range(5)]:
        count, cell = len(columns), 30.0
        canvas = Canvas(196, 350, f"{count} features, 2 dimensions")
        _plane(canvas, (98, 98), 52, columns)
        left, top = 98 - count * cell / 2 + 6, 198.0
        canvas.text(98, top - 27, "$W^⊤ W$", size=12)
        names = [str(i + 1) for i in range(count)]
        canvas.grid(left, top, [[0.0] * count] * count, cell=cell, look="", rows=names,
                    columns=names)  # fmt: skip
        for i, one in enumerate(columns):
            for j, other in enumerate(columns):
                _number(canvas, left + j * cell, top + i * cell, dot(one, other), cell,
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
    canvas = Canvas(270, 274 if bias else 240, f"{count} features, lengths {length:.2f}")
    _plane(canvas, (135, 86), 44 / length, columns)
    read = [dot(columns[0], column) for column in columns]
    rows = {"$W^⊤ h$": read}
    shift = -near * length**2
    if bias:
        rows[f"$b$ = {signed(round(shift, 2))}"] = [value + shift for value in read]
    rows["ReLU"] = [max(0.0, value + shift) for value in read]
    left, cell = 66.0, 38.0
    xs = [left + (i + 0.5) * cell for i in range(count)]
    canvas.row(xs, 159, [str(i + 1) for i in range(count)], size=11)
    for number, (name, values) in enumerate(rows.items()):
        y = 166 + number * 36
        canvas.text(left - 6, y + 17, name, size=11, anchor="end")
        for i, value in enumerate(values):
            _number(canvas, left + i * cell + 2, y, value, 34, "lit" if i == 0 else "second")
    return canvas


def autoencoder() -> Drawing:
    """Draw a sparse autoencoder that writes a vector with one direction out of five."""
    directions = [_direction(90 - 72 * i) for i in range(5)]
    h = tuple(0.8 * part for part in directions[1])
    near = math.cos(2 * math.pi / 5)
    gain, b_enc = 1 / (1 - near), -0.8 * near / (1 - near)
    f = [max(0.0, gain * dot(d, h) + b_enc) for d in directions]
    back = [dot(f, column) for column in zip(*directions, strict=True)]
    canvas, cell, middle = Canvas(344, 232), 30.0, 104.0
    for x, name, values, look, y in (
        (24.0, "$h$", h, "lit", middle - 42),
        (155.0, "$f$", f, "second", 14.0),
        (292.0, "$h'$", back, "lit", middle - 42),
    ):
        canvas.text(x + 15, y, name)
        for k, value in enumerate(values):
            _number(canvas, x, middle + (k - len(values) / 2) * cell, value, cell, look)
    encode = canvas.box(74, middle - 34, 46, 68, "$E$")
    decode = canvas.box(220, middle - 34, 46, 68, "$D$")
    canvas.arrow((54, middle), encode.left)
    canvas.arrow(encode.right, (155, middle))
    canvas.arrow((185, middle), decode.left)
    canvas.arrow(decode.right, (292, middle))
    canvas.text(170, 196, "few of many are not zero", size=11)
    canvas.row((39, 307), 154, ("d_input", "d_input"), size=11)
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
    canvas, x, below = Canvas(352, 350), 150.0, 338.0
    logits = canvas.box(x - 48, 20, 96, 26, "$U$ LN($x$)")
    for name, fork in ("attention", 316), ("MLP", 192):
        layer = canvas.box(196, fork - 58, 92, 30, name)
        below = canvas.beside(x, (below, fork, fork - 82), layer, layer, look="lit").y
    canvas.arrow((x, below), logits.bottom, look="lit")
    canvas.text(320, 223, "weights of\nattention", size=11)
    canvas.arrow((320, 241), (320, 273), (288, 273), look="second")
    canvas.line((213, 118), (223, 102), look="second")
    canvas.text(276, 76, "ablation by zero, by mean\nor another sample", size=11)
    canvas.arrow((256, 94), (224, 108), look="second")
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


def _number(canvas: Canvas, x: float, y: float, value: float, cell: float, look: str) -> None:
    """Draw a number of either sign: its size as colour, and its sign in writing."""
    form = ".1f" if cell < 34 else ".2f"
    shown = signed(value, form) if float(format(value, form)) else "0"
    canvas.grid(x, y, [[min(1.0, abs(value))]], cell=cell, look=look, written=[[shown]])


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
