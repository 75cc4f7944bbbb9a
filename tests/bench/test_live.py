"""The benchmark of the translator in the page, on a few sentences."""

import pytest

from bench import live


@pytest.mark.slow
def test_it_compares_with_pytorch_and_times_each_token(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(live.minilang, "load", lambda size, seed: minilang_of(400, seed))
    live.main(["--sentences", "3", "--rounds", "2"])
    printed = capsys.readouterr().out
    assert "3 of 3 translations are PyTorch's" in printed
    assert "milliseconds a token: {'median': " in printed


minilang_of = live.minilang.load
