"""A formula and the particle behind it stay on one line: a particle is no word of its own."""

import re
from typing import ClassVar

from docutils import nodes
from sphinx.transforms import SphinxTransform

CLASS = "unbroken"
PARTICLE = re.compile(r"[^\s]*[가-힣][^\s]*")  # with brackets and stops around it


class KeepParticles(SphinxTransform):
    """Put each formula and the particle behind it into one element, for the style sheet."""

    default_priority: ClassVar[int] = 110

    def apply(self, **_options: object) -> None:
        """Wrap them, on translated pages."""
        if not self.config.translated_from:
            return
        for formula in list(self.document.findall(nodes.math)):
            keep_together(formula)


def keep_together(formula: nodes.math) -> None:
    """Put a formula and the particle behind it, if there is one, into one element."""
    behind = formula.next_node(descend=False, siblings=True)
    if not isinstance(behind, nodes.Text):
        return
    particle = PARTICLE.match(behind.astext())
    if particle is None:
        return
    rest = behind.astext()[particle.end() :]
    behind.parent.replace(behind, nodes.Text(rest))
    whole = nodes.inline("", "", classes=[CLASS])
    formula.replace_self(whole)
    whole += [formula, nodes.Text(particle[0])]
