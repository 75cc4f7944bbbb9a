"""How the package is built: its parts, and what is made of them."""

from bottomup.drawings import Canvas, Drawing, Picture

# What a row is for, and the parts in it: each imports only those below it, or to its right.
ROWS = (
    ("helps, asks", ("classroom", "doctor", "exercises")),
    ("shows", ("drawings", "explorables", "plotting", "source")),
    ("finds", ("results", "experiments")),
    ("trains,\nmeasures", ("analysis", "metrics", "decoding", "training")),
    ("builds", ("models", "data")),
    ("mechanisms", ("blocks", "attention", "masks")),
    ("refuses", ("precision", "checks", "files")),
    ("translates", ("i18n", "particles")),
)
WITHOUT_PAGE = "classroom", "files", "i18n", "particles"
LEFT, WIDE = 82, 276  # of the parts
TOP, ROW, HIGH = 84, 44, 28  # the first row, from one to the next, a box


def package() -> Drawing:
    canvas = Canvas(360, TOP + ROW * len(ROWS))
    site = canvas.box(LEFT, 2, WIDE, 24, "the site, in two languages", size=12)
    for x, name in ((LEFT, "chapters/"), (LEFT + WIDE / 2 + 4, "book/")):
        page = canvas.box(x, 44, WIDE / 2 - 4, 24, name, size=12)
        canvas.arrow(page.top, (page.top[0], site.bottom[1]))
    for number, (purpose, parts) in enumerate(ROWS):
        y = TOP + ROW * number
        canvas.text(LEFT - 8, y + HIGH / 2, purpose, look="quiet", size=11, anchor="end")
        _row(canvas, y, parts, "lit" if "attention" in parts else "")
        canvas.arrow((LEFT + WIDE / 2, y), (LEFT + WIDE / 2, y - ROW + HIGH))
    return Picture("The parts of the package", canvas).says(
        "From below: language; half precision and argument checks; masks, attention and "
        "blocks, which are the mechanisms; data and models; training, decoding, metrics and "
        "analysis; experiments and their results; what is shown; exercises, a classroom and the "
        "doctor. Chapters and the book's other pages stand on all of them, and the site is made of "
        "both. A part imports only what stands below it, or to its right."
    )


def _row(canvas: Canvas, y: float, parts: tuple[str, ...], look: str) -> None:
    step = (WIDE + 4) / len(parts)
    for i, name in enumerate(parts):
        x, page = LEFT + step * i, "" if name in WITHOUT_PAGE else f"{name}.html"
        canvas.box(x, y, step - 4, HIGH, name, look=look, size=11, href=page)
