from pathlib import Path

from bottomup.experiments.shared.curve import Curve


def test_points_are_found_again_until_they_are_forgotten(tmp_path: Path):
    path = tmp_path / "units" / "dense-0.curve.json"
    curve = Curve(path)
    assert curve.points == {}
    curve.add("step_2", bits=4.5, seconds=1.25)
    curve.add("step_4", bits=3.5, seconds=2.5)
    again = Curve(path)
    assert again.points == curve.points
    again.add("step_4", bits=3.25, seconds=2.75)  # measured once more after an interruption
    assert list(Curve(path).points) == ["step_2", "step_4"]
    assert Curve(path).points["step_4"] == {"bits": 3.25, "seconds": 2.75}
    again.forget()
    again.forget()
    assert not path.exists()
    assert Curve(path).points == {}
