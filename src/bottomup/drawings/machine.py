"""The encoder–decoder Transformer that heads every chapter, with the part of the chapter lit.

After figure 1 of Vaswani et al. (2017), https://arxiv.org/abs/1706.03762. Each part leads to the
chapter that explains it.
"""

from bottomup.drawings import Box, Canvas, Drawing

# Chapter -> the parts of the machine that it is about.
ABOUT = {
    "00": {"output", "embedding"},
    "01": {"cross"},
    "01b": {"cross"},
    "02": {"self", "masked", "embedding"},
    "02b": {"self", "masked"},
    "03": {"self", "masked", "cross"},
    "04": {"mlp", "norm", "stream"},
    "05": {"embedding", "self", "masked", "cross", "mlp", "norm", "stream", "memory", "output"},
    "06": {"output", "again"},
    "07": {"self", "masked"},
    "08": {"layers"},
    "09": {"self", "masked", "cross", "mlp", "stream"},
    "10": {"embedding", "self", "masked", "output"},
    "10b": {"masked", "mlp", "norm", "stream", "embedding", "again"},
    "11": {"embedding", "self", "masked", "cross", "output", "again"},
    "12": {"embedding", "self", "mlp", "layers"},
}
# Part -> the chapter that explains it first.
EXPLAINED = {
    "embedding": "02_self_attention",
    "self": "02_self_attention",
    "masked": "02_self_attention",
    "cross": "01_attention",
    "mlp": "04_mlp_and_superposition",
    "norm": "04_mlp_and_superposition",
    "layers": "08_representation_analysis",
    "memory": "05_encoder_decoder",
    "output": "00_warm_up",
    "again": "06_decoding",
}
NAMES = {
    "embedding": "Embedding + position",
    "self": "Self-attention",
    "masked": "Masked self-attention",
    "cross": "Cross-attention",
    "mlp": "MLP",
    "norm": "Add, normalise",
    "output": "Linear, softmax",
}
CAPTION = "In blue: what this chapter is about. Click a part to open the chapter that explains it."
WIDE = 148  # of a box
LAYER, NORM = 28, 16  # heights: a sublayer, and the addition and normalisation behind it
# Figures of matplotlib in JupyterLab's dark theme: light on dark, the hues kept, as on the site.
FIGURES = """[data-jp-theme-light="false"] .jp-RenderedImage img {
  filter: invert(1) hue-rotate(180deg) brightness(0.92); mix-blend-mode: screen;
}
"""
STEP = 62  # from one sublayer up to the next
LOWEST = 264  # top of the lowest sublayer


def machine(chapter: str = "", folder: str = "") -> Drawing:
    """Draw the Transformer; the parts that the chapter is about are lit.

    Args:
        chapter: its number, such as "03", or "" to light nothing.
        folder: where the chapters lie, seen from the page: "" or a path that ends in "/".
    """
    drawn = _Machine(ABOUT[chapter] if chapter else set(), folder)
    encoder = drawn.stack(18, ["self", "mlp"])
    decoder = drawn.stack(196, ["masked", "cross", "mlp"])
    drawn.ends(encoder, decoder)
    here = f" Lit here: {_listed(drawn.lit)}." if drawn.lit else ""
    return _Head(
        title="The Transformer",
        says="An encoder layer is self-attention and an MLP, a decoder layer masked "
        "self-attention, cross-attention to the encoder's output, the memory, and an MLP; each is "
        "added to what it reads, and the sum is normalised. The token that comes out is read in "
        f"the next step.{here}",
        panels=(drawn.canvas,),
        caption=CAPTION if chapter else "",
    )


class _Head(Drawing):
    """The drawing at a chapter's head, which brings along how the chapter's figures look."""

    def _repr_html_(self) -> str:
        return super()._repr_html_().replace("<style>\n", f"<style>\n{FIGURES}", 1)


def _listed(parts: set[str]) -> str:
    words = {**NAMES, "stream": "the residual stream", "again": "the next step",
             "memory": "the memory", "layers": "what each layer holds"}  # fmt: skip
    named = [words[part] for part in words if part in parts]
    return ", ".join(name if name.isupper() else name[0].lower() + name[1:] for name in named)


class _Machine:
    def __init__(self, lit: set[str], folder: str) -> None:
        self.lit, self.folder = lit, folder
        self.canvas = Canvas(360, 386)

    def look(self, part: str) -> str:
        return "lit" if part in self.lit else ""

    def href(self, part: str) -> str:
        return f"{self.folder}{EXPLAINED[part]}.ipynb"

    def part(self, part: str, x: float, y: float, height: float) -> Box:
        size = 12.5 if height > NORM else 11
        return self.canvas.box(
            x, y, WIDE, height, NAMES[part], look=self.look(part), size=size, href=self.href(part)
        )

    def stack(self, x: float, parts: list[str]) -> Box:
        """Draw a layer from its lowest sublayer up; return its frame."""
        middle, top = x + WIDE / 2, LOWEST - STEP * (len(parts) - 1) - NORM - 30
        frame = self.canvas.box(
            x - 14, top, WIDE + 18, 306 - top, look="lit" if "layers" in self.lit else "quiet"
        )
        self.canvas.link(x + 5, top + 11, "× N", self.href("layers"), look="quiet", size=11)
        below = self.part("embedding", x, 320, LAYER).top
        for number, name in enumerate(parts):
            layer = self.part(name, x, LOWEST - STEP * number, LAYER)
            norm = self.part("norm", x, layer.y - NORM - 5, NORM)
            fork = middle, layer.y + LAYER + 7
            self.canvas.arrow(below, layer.bottom)
            self.canvas.arrow(layer.top, norm.bottom)
            aside = x - 7
            self.canvas.arrow(fork, (aside, fork[1]), (aside, norm.left[1]), norm.left,
                              look=self.look("stream"))  # fmt: skip
            below = norm.top
        return frame

    def ends(self, encoder: Box, decoder: Box) -> None:
        """Draw what enters, the memory between the layers, and what comes out."""
        canvas, left, right = self.canvas, 18 + WIDE / 2, 196 + WIDE / 2
        for middle, words in ((left, "source tokens"), (right, "tokens so far")):
            canvas.text(middle, 376, words, size=12, look="quiet")
            canvas.arrow((middle, 367), (middle, 348))
        memory, enters = encoder.y - 14, LOWEST - STEP + LAYER / 2
        canvas.arrow((left, LOWEST - STEP - NORM - 5), (left, memory), (176, memory),
                     (176, enters - 2), (196, enters - 2), look=self.look("memory"))  # fmt: skip
        canvas.link(left + 46, memory - 9, "memory", self.href("memory"),
                    look=self.look("memory"), size=12)  # fmt: skip
        output = self.part("output", 196, decoder.y - 14 - LAYER, LAYER)
        canvas.arrow((right, decoder.y + 25), output.bottom)
        canvas.arrow(output.top, (right, output.y - 18))
        canvas.link(right, output.y - 26, "next token", self.href("again"),
                    look=self.look("again"), size=12)  # fmt: skip
        above, below = output.y - 26, 376
        canvas.arrow((right + 36, above), (355, above), (355, below), (right + 46, below),
                     look=self.look("again") or "quiet")  # fmt: skip
