"""The benchmark of a decoder of today at a tiny size, without a peer."""

import pytest
import torch

from bench import decoder
from bench.decoder import Case, main, measure, ours, row
from bottomup.models import DecoderOnly
from bottomup.results.speed import OURS
from tests.drawn import global_seed, seeded

TINY = Case(layers=2, d_model=12, heads=6, groups=3, batch=2, n=5)


def test_decoding_writes_what_one_pass_over_everything_says():
    with global_seed(1):
        model = DecoderOnly(TINY.config).eval()
    prompt = torch.randint(decoder.VOCABULARY, (2, 16), generator=seeded(2))
    written = ours(model, prompt, 5)()
    assert written.shape == (2, 5)
    with torch.no_grad():
        said = model(torch.cat([prompt, written], dim=1)).argmax(dim=-1)
    assert torch.equal(said[:, 15:-1], written)


def test_a_peer_that_writes_something_else_is_refused(monkeypatch: pytest.MonkeyPatch):
    def zeros(model: DecoderOnly, prompt: torch.Tensor, n: int) -> decoder.Decode:
        return lambda: torch.zeros(2, n, dtype=torch.int64)

    monkeypatch.setitem(decoder.PEERS, "transformers", zeros)
    with pytest.raises(RuntimeError, match="transformers does not write what we write"):
        measure(TINY, ["transformers"], 2)


def test_a_row_of_the_table_reads_as_expected():
    found = {
        "milliseconds": {OURS: 1.5, "transformers": 3.0},
        "ratio": {"transformers": {"median": 0.5, "q1": 0.4, "q3": 0.6}},
    }
    expected = "| 2 x 12, 6 heads in 3, 2 | bottomup 1.50, transformers 3.00 | transformers 0.50 |"
    assert row(TINY, found) == expected


def test_the_command_prints_a_row_for_each_case(capsys, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(decoder, "CASES", (TINY,))
    monkeypatch.setattr(decoder, "installed", list)
    main(["--rounds", "2"])
    assert capsys.readouterr().out.count("\n| 2 x 12") == 1
