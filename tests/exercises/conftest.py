"""Time limits of a fraction of a second, on a machine that may be busy with other things."""

import pytest

from bottomup.exercises.engine import limits

WAITING = limits.WAITING


@pytest.fixture(autouse=True)
def patient(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the clock on the wall stop nothing, but in the tests that are about waiting.

    For a moment a process may get less than a tenth of a core; the seconds that an answer has in
    a notebook are long enough for that to even out, those of the tests are not.
    """
    waits = request.node.get_closest_marker("waits") is not None
    monkeypatch.setattr(limits, "WAITING", WAITING if waits else 1e4)
