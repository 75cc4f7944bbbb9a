"""A drawing in steps: a slider, its keys and two buttons lead from one picture to the next."""

from collections.abc import Sequence
from html import escape

from bottomup.explorables.shared.explorable import Explorable
from bottomup.explorables.shared.inputs import check_count
from bottomup.i18n import _

__all__ = ["steps"]


def steps(title: str, pictures: Sequence[str], says: Sequence[str]) -> Explorable:
    """Build the figure; it begins with the first picture and stands still until it is moved.

    Args:
        title: its name.
        pictures: 2 to 12 SVG elements of one size, each with a name of its own.
        says: for each what happens in it, in one sentence, which is shown below it.
    """
    check_count("pictures", pictures, 2, 12)
    check_count("says", says, len(pictures), len(pictures))
    listed = "".join(f"<li>{escape(sentence)}</li>" for sentence in says)
    return Explorable(
        {
            "labels": {
                "title": title,
                "step": _("Step"),
                "of": _("{step} of {steps}"),
                "before": _("step before"),
                "after": _("step after"),
            },
            "pictures": list(pictures),
            "says": list(says),
        },
        # A viewer that takes SVG and styles away would leave the words of a picture.
        fallback=f'<p>{escape(title)}</p>\n<figure class="bottomup-drawing"><div hidden="hidden">\n'
        f"{pictures[-1]}\n</div></figure>\n<ol>{listed}</ol>",
        name="steps",
    )
