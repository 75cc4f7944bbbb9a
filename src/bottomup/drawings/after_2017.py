"""Drawings of chapter 10: whom a word may look at, and what BERT adds.

Words that a network of chapter 08 names come from its record, losses from that of chapter 10.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from statistics import fmean

import torch

from bottomup import results
from bottomup.drawings import Box, Canvas, Drawing, Picture, Wide, left_open
from bottomup.drawings.engine.tables import percent, table
from bottomup.drawings.engine.words import width
from bottomup.masks import causal_mask
from bottomup.models import two_stream_masks
from bottomup.results.encoders import encoders

SENTENCE = tuple("the cat ate the meat because it was hungry".split())
IT = SENTENCE.index("it")
ORDER = 8, 2, 1, 4, 6, 7, 0, 3, 5  # in which the words may be predicted: hungry, ate, cat, meat, it
SYSTEMS = "2017", "BERT", "Transformer-XL", "XLNet"
READING = "after_2017_reading.json"
MIXTURES = {"80/10/10": "mixed", "100/0/0": "all_masked"}
SHOWN = 6  # words for a hidden place


def looked_at(system: str) -> list[bool]:
    """Return whether *it* may look at the text before, and at each word of its sentence."""
    n = len(SENTENCE)
    before = system == "Transformer-XL"
    if system == "BERT":
        return [before, *[True] * n]
    if system == "XLNet":
        return [before, *two_stream_masks(torch.tensor(ORDER)).query[IT].tolist()]
    return [before, *causal_mask(n)[IT].tolist()]


def it_looks(*, shown: bool = True) -> Drawing:
    canvas, wide, tall, left, top = Wide(360, 266), 71.0, 20.0, 74.0, 56.0
    names = "decoder\nof 2017", "BERT", "Trans-\nformer-XL", "XLNet,\none order"
    canvas.text(left + 2 * wide, 8, "it may look at", size=12)
    canvas.row([left + (j + 0.5) * wide for j in range(4)], 34, names, size=12)
    may = [looked_at(system) for system in SYSTEMS]
    for i, word in enumerate(("text before", *SENTENCE)):
        y = top + tall * i + (4 if i else 0)
        own = i == IT + 1
        for j, system in enumerate(SYSTEMS):
            open_, look = not shown and system != "2017", "second" if i == 0 else "lit"
            value = 0.0 if open_ else (0.9 if may[j][i] else None)
            table(canvas, left + wide * j, y, [[value]], cell=(wide, tall),
                  written=[["?" if open_ else ""]], look=look)  # fmt: skip
        if own:
            canvas.box(1, y + 1, left - 9, tall - 2, look="lit")
        canvas.text(left - 12, y + tall / 2, word, size=11, anchor="end")
    if not shown:
        return Picture("Which words may it look at? Three columns to fill in", canvas).says(
            "In a decoder of 2017, it may look at the words before it in its sentence and at "
            "itself. The columns of BERT, Transformer-XL and XLNet hold question marks.",
            caption="Blue: may be looked at. Grey: may not.",
        )
    asked = [SENTENCE[place] for place in ORDER[: ORDER.index(IT)]]
    return Picture("Which words may it look at?", canvas).says(
        "In a decoder of 2017, it may look at the words before it and at itself. In BERT at "
        "all words of the sentence. In Transformer-XL also at the text before. In XLNet at the "
        f"words that come earlier in an order: {', '.join(asked)}.",
        caption=f"XLNet draws an order for each sentence. Here it begins: {', '.join(asked)}, it.",
    )


def sentence(
    canvas: Canvas, y: float, words: Sequence[str] = SENTENCE, *,
    looks: Sequence[str] = (), left: float = 2.0, gap: float = 3.0, size: float = 12.0,
) -> list[Box]:  # fmt: skip
    """Draw words in boxes beside each other, each as wide as its word needs."""
    made: list[Box] = []
    for word, look in zip(words, looks or [""] * len(words), strict=True):
        wide = max(width(word, size) + 9, 22)
        made.append(canvas.box(left, y, wide, 24, word, look=look, size=size))
        left += wide + gap
    return made


def exchange(*, shown: bool = True) -> Drawing:
    canvas, n = Wide(352, 192), len(SENTENCE)
    canvas.text(2, 9, "the last word is exchanged", size=12, anchor="start")
    words = (*SENTENCE[:-1], "fresh")
    boxes = sentence(canvas, 22, words, looks=[*[""] * (n - 1), "second"])
    masks = {"with the causal mask": causal_mask(n), "without a mask": torch.ones(n, n).bool()}
    for row, (name, mask) in enumerate(masks.items()):
        y = 66.0 + 64 * row
        canvas.text(2, y + 6, f"{name}, the prediction …", size=12, anchor="start")
        for box, moved in zip(boxes, mask[:, -1].tolist(), strict=True):
            look = "" if not shown else "lit" if moved else "quiet"
            mark = "?" if not shown else "\N{NOT EQUAL TO}" if moved else "="
            canvas.box(box.x, y + 20, box.width, 24, mark, look=look, size=11)
    if not shown:
        return Picture("The last word is exchanged: which predictions change?", canvas).says(
            f"In {' '.join(SENTENCE)} the last word becomes fresh. Which of the nine "
            "predictions change, with the causal mask and without a mask, is open.",
            caption="A prediction is made at each word: of the word that comes next.",
        )
    return Picture("The last word is exchanged: these predictions change", canvas).says(
        "With the causal mask only the prediction at the last word changes. Without a mask "
        "all nine change, that at the word before the last among them, which is to name the last.",
        caption="A prediction is made at each word: of the word that comes next.",
    )


@cache
def named(network: str, place: int = 1) -> dict[str, float]:
    """Return what a network of chapter 08 says of a hidden word, the likeliest first.

    The causal one sees the words before the place, the masked one a mask there and all others.
    """
    known = encoders()
    words = [*SENTENCE, "."]
    tokens = known.encode([*words[:place], "<mask>", *words[place + 1 :]])
    asked = place - 1 if network == "lm" else place
    with torch.no_grad():
        shares = known.networks[network](tokens).logits[0, asked].softmax(dim=-1)
    best = shares[: known.mask_id].topk(SHOWN)
    names = known.words.decode(best.indices.tolist())
    # Rounded, so that it is drawn alike on every machine.
    return {name: round(share, 4) for name, share in zip(names, best.values.tolist(), strict=True)}


def hidden_word(*, shown: bool = True) -> Drawing:
    panels, longest = [], max(named("mlm").values())
    for network, title, seen in (
        ("lm", "looks to the left", "the ___"),
        ("mlm", "looks both ways", "the ___ ate the meat because it was hungry"),
    ):
        canvas = Canvas(328, 50 + 24 * SHOWN, title)
        canvas.text(164, 32, seen, size=13)
        for row, (word, share) in enumerate(named(network).items()):
            y = 50.0 + 24 * row
            canvas.text(98, y + 10, word if shown else "?", size=13, anchor="end")
            if shown:
                look = "lit" if network == "mlm" else "second"
                long = round(170 * share / longest)
                canvas.box(106, y + 2, long, 16, look=look)
                canvas.text(112 + long, y + 10, percent(share), size=12, anchor="start")
        panels.append(canvas)
    if not shown:
        return Picture("A hidden word: what would each network name?", *panels).says(
            "One network sees only the word the before the gap. The other also sees what "
            "comes after the gap: ate the meat because it was hungry. What they name is open."
        )
    said = [", ".join(f"{word} {percent(share)}" for word, share in named(network).items())
            for network in ("lm", "mlm")]  # fmt: skip
    return Picture("A hidden word, named from one side and from both", *panels).says(
        f"From the left alone: {said[0]}. From both sides: {said[1]}.",
        caption="The causal and the masked language model of chapter 08, and the six words that "
        "each finds likeliest.",
    )


def three_fates() -> Drawing:
    canvas = Wide(352, 166)
    xs = (78.0, 140.0, 202.0)
    canvas.text(140, 10, "what the network sees", size=12.5)
    canvas.text(302, 10, "the loss asks", size=12.5)
    fates = (("80 %", "[MASK]", "lit"), ("10 %", "house", "second"), ("10 %", "cat", ""))
    for row, (share, word, look) in enumerate(fates):
        y = 28.0 + 36 * row
        canvas.text(0, y + 12, share, size=12.5, anchor="start")
        canvas.boxes(xs[:1], y, 56, 24, ["the"], look="quiet")
        canvas.boxes(xs[1:2], y, 56, 24, [word], look=look, size=12)
        canvas.boxes(xs[2:], y, 56, 24, ["ate"], look="quiet")
        canvas.arrow((234, y + 12), (276, y + 12))
        canvas.text(302, y + 12, "cat", size=13)
    canvas.note(0, 152, "\N{LEFT DOUBLE QUOTATION MARK}the\N{RIGHT DOUBLE QUOTATION MARK} and "
                "\N{LEFT DOUBLE QUOTATION MARK}ate\N{RIGHT DOUBLE QUOTATION MARK} were not chosen: "
                "no loss there", anchor="start")  # fmt: skip
    return Picture("Three fates of a chosen word", canvas).says(
        "Of the words that BERT chooses, 80 % become a mask, 10 % another word, 10 % stay. "
        "The loss asks for the original each time, so a visible word may be wrong or asked for."
    )


def losses() -> dict[str, dict[str, float]]:
    """Return the loss at masks and at words in plain view, of both mixtures, in nats."""
    record = results.load(READING)
    return {
        place: {
            mixture: fmean(record.metric(f"both_sides.{kind}.{part}"))
            for mixture, kind in MIXTURES.items()
        }
        for place, part in (("at a mask", "hidden"), ("at a word in plain view", "visible"))
    }


def bars(
    canvas: Canvas, y: float, rows: Mapping[str, float], *, longest: float, left: float = 76,
    room: float = 220, form: str = ".1f", open_: Sequence[str] = (), looks: Sequence[str] = (),
) -> None:  # fmt: skip
    """Draw a bar and its value for each name; of those in `open_` a question mark."""
    for row, (name, value) in enumerate(rows.items()):
        top = y + 26 * row
        canvas.text(left - 8, top + 9, name, size=12, anchor="end")
        if name in open_:
            canvas.text(left + 6, top + 9, "?", size=13, anchor="start")
            continue
        look = looks[row] if looks else "lit"
        canvas.box(left, top, max(room * value / longest, 1), 18, look=look)
        written = percent(value) if form == "%" else format(value, form)
        canvas.text(left + room * value / longest + 6, top + 9, written, size=12, anchor="start")


def in_sight(*, shown: bool = True) -> Drawing:
    canvas, found = Wide(352, 164), losses()
    longest = max(value for rows in found.values() for value in rows.values())
    for number, (place, rows) in enumerate(found.items()):
        y = 10.0 + 84 * number
        canvas.text(2, y, f"loss {place}, in nats", size=12.5, anchor="start")
        hide = [] if shown or number == 0 else list(rows)
        bars(canvas, y + 14, rows, longest=longest, open_=hide, looks=("lit", "second"))
    if not shown:
        return Picture("Two ways of hiding, and their losses: two to fill in", canvas).says(
            "At a mask the losses are "
            + " and ".join(f"{value:.1f} for {name}" for name, value in found["at a mask"].items())
            + ". The losses at a word in plain view are open.",
            caption="Lower is better. 80/10/10 is BERT's mixture; 100/0/0 always hides.",
        )
    return Picture("Two ways of hiding, and their losses", canvas).says(
        "At a mask the losses are alike. At a word in plain view they are "
        + " and ".join(f"{value:.1f} for {name}" for name, value in rows.items())
        + ".",
        caption="Lower is better. 80/10/10 is BERT's mixture; 100/0/0 always hides.",
    )


def two_segments() -> Drawing:
    first, second = ("BOS", "the", "cat", "ate", "EOS"), ("it", "was", "hungry", "EOS")
    tokens = (*first, *second)
    rows = {
        "word": tokens,
        "position": [str(place) for place in range(len(tokens))],
        "segment": [*["0"] * len(first), *["1"] * len(second)],
    }
    canvas = Wide(360, 124)
    looks = [*["lit"] * len(first), *["second"] * len(second)]
    places = sentence(canvas, 6, tokens, looks=looks, left=52, gap=2, size=11)
    for number, (name, words) in enumerate(rows.items()):
        y = 6.0 + 40 * number
        canvas.text(0, y + 12, name, size=11, anchor="start")
        for place, word, look in zip(places, words, looks, strict=True):
            if number:
                own = look if name == "segment" else ""
                canvas.box(place.x, y, place.width, 24, word, look=own, size=11)
                canvas.text(place.center[0], y - 8, "+", size=12)
    return Picture("Three summands for each token", canvas).says(
        "The cat ate is segment 0, it was hungry is segment 1. At each token the vectors of "
        "its word, its position and its segment are added."
    )


def three_uses() -> Drawing:
    canvas = Wide(352, 190)
    ways = (("frozen", "quiet", "new layer", "class"), ("fine-tuned", "lit", "new layer", "class"),
            ("as it is", "quiet", "", "share of\neach word"))  # fmt: skip
    for number, (name, look, head, out) in enumerate(ways):
        x = 58.0 + 118 * number
        canvas.text(x, 9, name, size=13)
        network = canvas.box(x - 48, 112, 96, 34, "trained\nnetwork", look=look, size=12)
        words = "the [MASK] ate" if not head else "the cat ate"
        canvas.text(x, 178, words, size=11)
        canvas.arrow((x, 168), network.bottom)
        top = network.top
        if head:
            part = canvas.box(x - 40, 68, 80, 24, head, look="lit", size=12)
            canvas.arrow(top, part.bottom)
            top = part.top
        canvas.arrow(top, (x, 50))
        canvas.text(x, 36, out, size=12)
    return Picture("Three ways to use a trained network", canvas).says(
        "Frozen: a new layer is trained on its states. Fine-tuned: the layer and the network "
        "are trained. As it is: it says how likely each word is at a mask.",
        caption="Blue: what is trained for the new task.",
    )


def three_additions() -> Drawing:
    canvas, xs = Wide(360, 176), (98.0, 192.0, 284.0)
    told = {
        "BERT": ("understand\na sentence", "both sides", "hidden\nwords"),
        "Transformer-\nXL": ("go on with\na long text", "a memory", "distances"),
        "XLNet": ("both sides,\none by one", "any order", "two\nstreams"),
    }
    for x, name in zip(xs, ("what for?", "it added", "this needs"), strict=True):
        canvas.text(x + 40, 10, name, size=12)
    for row, (system, words) in enumerate(told.items()):
        y = 26.0 + 50 * row
        canvas.text(0, y + 20, system, size=12, anchor="start")
        each = [
            canvas.box(x, y, 78, 40, text, look=look, size=12)
            for x, text, look in zip(xs, words, ("", "lit", "second"), strict=True)
        ]
        canvas.chain(*each)
    return Picture("What each added, and what for", canvas).says(
        "BERT is to understand a sentence: it added both sides, and hides words. Transformer-XL is "
        "to go on with a long text: it added a memory, and needs distances. XLNet is to use both "
        "sides and still name one word after another: it added orders, and needs two streams."
    )


it_looks_open = left_open(it_looks)
exchange_open = left_open(exchange)
hidden_word_open = left_open(hidden_word)
in_sight_open = left_open(in_sight)
