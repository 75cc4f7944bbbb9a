from pathlib import Path

from bottomup.experiments.engine.units import Outcome, Unit
from bottomup.experiments.shared.curve import Curve


def test_points_are_found_again_until_the_unit_is_stored(tmp_path: Path):
    unit = Unit("dense", 0, tmp_path / "units")
    path = unit.checkpoint
    curve = Curve(path)
    assert curve.points == {}
    curve.add("step_2", bits=4.5, seconds=1.25)
    curve.add("step_4", bits=3.5, seconds=2.5)
    again = Curve(path)
    assert again.points == curve.points
    again.add("step_4", bits=3.25, seconds=2.75)  # measured once more after an interruption
    assert list(Curve(path).points) == ["step_2", "step_4"]
    assert Curve(path).points["step_4"] == {"bits": 3.25, "seconds": 2.75}
    unit.store(Outcome({"bits": 3.25}), seconds=3.0)
    kept = sorted(path.name for path in unit.folder.iterdir())
    assert kept == ["dense-0.json", "dense-0.npz"]
    assert Curve(path).points == {}
