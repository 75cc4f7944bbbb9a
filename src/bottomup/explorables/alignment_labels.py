"""The words of chapter 01's interactive figure, in the reader's language."""

from bottomup.i18n import _


def score_label(score: str) -> str:
    """Return the name of a score as the chapter writes it.

    The additive score is Bahdanau's; in Luong's order of steps it carries his name.
    """
    return {
        "bahdanau": _("additive"),
        "dot": _("dot"),
        "general": _("general"),
        "concat": _("concat"),
        "additive": _("additive (Luong)"),
    }[score]


def figure_labels(measure: str, *, seeds: int | None) -> dict[str, str]:
    """Return every label; names in braces are filled in by the script.

    Args:
        measure: what the curves show.
        seeds: over how many seeds, None where the curves differ in that.
    """
    return {
        "title": _("Alignment explorer"),
        "sentence": _("Sentence"),
        "score": _("Score"),
        "script": _("Target tokens"),
        "hangul": _("Hangul"),
        "romanised": _("romanised"),
        "gloss": _("gloss"),
        "source": _("Source words and their weights"),
        "target": _("Target tokens, arrow keys move"),
        "how": _("Move over the target tokens: pointer, touch or arrow keys."),
        "sure": _("sure link"),
        "possible": _("possible link"),
        "reads": _("{word} reads {words}."),
        "quoted": _("“{word}”"),
        "end": _("the end mark"),
        "on_sure": _("A sure link leads to the word it reads most."),
        "on_possible": _("A possible link leads to the word it reads most."),
        "off": _("No gold link leads to the word it reads most."),
        "unlinked": _("It has no gold link."),
        "count": _("{score}: {right} of {all} tokens with a gold link read a linked word most."),
        "overview": _("All weights: target rows, source columns"),
        "measure": measure,
        "length": _("number of source words"),
        "fixed": _("fixed vector"),
        "here": _("this sentence, {length} words"),
        "beyond": _("longer than in training"),
        "chart": _("{measure} by length"),
        "at": _("{label}: {value} at this length"),
        "spread": _spread(seeds),
    }


def _spread(seeds: int | None) -> str:
    if seeds == 1:
        return _("One seed each.")
    if seeds is None:
        return _("Lines: mean over seeds. Bands: minimum to maximum.")
    return _("Lines: mean over {seeds} seeds. Bands: minimum to maximum.").format(seeds=seeds)
