"""The benchmark of ``torch.compile`` at a tiny size, without a compiler."""

import pytest

from bench.compiled import main


@pytest.mark.slow
def test_both_sides_agree_and_are_timed(capsys: pytest.CaptureFixture[str]):
    main(["--d-model", "8", "--rounds", "1", "--backend", "eager"])
    told = capsys.readouterr().out
    assert "and the loss agrees" in told
    assert "as it is" in told and "1.00 (1.00–1.00) of the last row" in told
