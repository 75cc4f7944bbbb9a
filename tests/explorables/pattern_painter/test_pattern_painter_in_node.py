"""The pattern painter's sets, scores and reach: those of the package, for every setting."""

from itertools import product
from pathlib import Path

from torch import Tensor

from bottomup.analysis import reached
from tests.explorables import node
from tests.explorables.pattern_painter.settings import SETTINGS, Setting


def whole(mask: Tensor) -> list[list[int]]:
    return mask.int().tolist()


def case(setting: Setting) -> dict[str, object]:
    """What the package counts for a setting."""
    sets, printed = setting.sets, setting.printed_sets
    least = setting.summary if setting.pattern == "fixed" else 1
    return {
        "wish": setting._asdict(),
        "sets": [whole(mask) for mask in sets],
        "needed": setting.needed,
        "costs": {
            stride: setting._replace(stride=stride).needed for stride in range(least, setting.n + 1)
        },
        "reach": [
            {
                "flipped": flipped,
                "residual": residual,
                "reached": whole(reached(*(sets[::-1] if flipped else sets), residual=residual)),
            }
            for flipped, residual in product((False, True), repeat=2)
        ],
        "printed": {
            "sets": [whole(mask) for mask in printed],
            "reached": whole(reached(*printed)),
        },
    }


def test_pure_functions(tmp_path: Path):
    given = [case(setting) for settings in SETTINGS.values() for setting in settings]
    node.check(Path(__file__).with_name("pattern_painter.test.js"), given, tmp_path)
