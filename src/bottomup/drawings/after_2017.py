"""Drawings of chapter 10."""

from bottomup.drawings import Canvas, Drawing


def three_fates() -> Drawing:
    """Draw what BERT does with a chosen word, and what the loss asks each time."""
    canvas = Canvas(352, 166)
    xs = (78.0, 140.0, 202.0)
    canvas.text(140, 10, "what the network reads", size=12.5)
    canvas.text(302, 10, "the loss asks", size=12.5)
    fates = (("80 %", "[MASK]", "lit"), ("10 %", "house", "second"), ("10 %", "cat", ""))
    for row, (share, word, look) in enumerate(fates):
        y = 28.0 + 36 * row
        canvas.text(0, y + 12, share, size=12.5, anchor="start")
        canvas.boxes(xs[:1], y, 56, 24, ["the"], look="quiet")
        canvas.boxes(xs[1:2], y, 56, 24, [word], look=look, size=12)
        canvas.boxes(xs[2:], y, 56, 24, ["sat"], look="quiet")
        canvas.arrow((234, y + 12), (276, y + 12))
        canvas.text(302, y + 12, "cat", size=13)
    canvas.note(0, 152, "\N{LEFT DOUBLE QUOTATION MARK}the\N{RIGHT DOUBLE QUOTATION MARK} and "
                "\N{LEFT DOUBLE QUOTATION MARK}sat\N{RIGHT DOUBLE QUOTATION MARK} were not chosen: "
                "no loss there", anchor="start")  # fmt: skip
    return Drawing(
        title="Three fates of a chosen word",
        says="Of the words that BERT chooses, 80 % become a mask, 10 % another word, 10 % stay. "
        "The loss asks for the original each time, so a visible word may be wrong or asked for.",
        panels=(canvas,),
    )


def two_streams() -> Drawing:
    """Draw who reads whom where two words are predicted, one and then the other."""
    words, xs = ("new", "york", "is", "a", "city"), (34.0, 107.0, 180.0, 253.0, 326.0)
    panels = []
    for asked, seen in ((0, (2, 3, 4)), (1, (0, 2, 3, 4))):
        canvas = Canvas(360, 164)
        when = ("first", "then")[asked]
        canvas.text(0, 10, f"{when}: which word stands at position {asked}?", size=12.5,
                    anchor="start")  # fmt: skip
        content = [
            canvas.box(x - 31, 118, 62, 24, word, look="lit" if number in seen else "quiet")
            for number, (x, word) in enumerate(zip(xs, words, strict=True))
        ]
        query = canvas.box(
            xs[asked] - 31, 34, 62, 24, f"position {asked}", look="second", size=11.5
        )
        for number in seen:
            canvas.arrow(content[number].top, query.bottom, look="lit")
        canvas.text(356, 46, "query $g$", size=12.5, anchor="end")
        canvas.text(356, 154, "content $h$", size=12.5, anchor="end")
        panels.append(canvas)
    return Drawing(
        title="Two streams",
        says="The query stream stands at a place and reads the words that come before it in the "
        "order, never its own. First the place of new reads is, a and city; then the place of york "
        "reads new as well. The content stream holds the words that are read.",
        panels=tuple(panels),
    )
