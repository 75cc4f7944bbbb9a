"""The benchmark of decoding at a tiny size, against our own model without its cache."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch

from bench import decoding
from bench.decoding import CASES, Case, agreement, main, measure, sides, sources, whole
from bench.decoding_sides import ReDecoding, Source, without_eos
from bench.report import decoding_table
from bench.sides import X_TRANSFORMERS
from bench.training_sides import config
from bottomup.data import BOS, EOS
from bottomup.decoding import greedy
from bottomup.models import Transformer
from bottomup.results.speed import OURS, RE_DECODING, DecodingCase
from bottomup.results.speed_files import read_benchmark, read_case

TINY = Case(layers=2, d_model=6, heads=3, batch=5, n=7, rounds=2)
NARROW = 31  # tokens: enough that the largest of their logits is above 0


@pytest.fixture(autouse=True)
def few_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "VOCABULARY", NARROW)


@pytest.fixture(autouse=True)
def seeded() -> Iterator[None]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        yield


def test_both_sides_write_the_same_tokens_with_the_same_logits():
    found = sides(TINY, [RE_DECODING])
    assert list(found) == [OURS, RE_DECODING]
    tokens = found[OURS].decode(TINY.n)
    assert tokens.shape == (5, 7)
    differences = agreement(RE_DECODING, found[RE_DECODING], found[OURS], TINY, tokens)
    assert differences["tokens"] == 0
    assert differences["logits"] < 1e-12
    assert not any(side.module.training for side in found.values())


def test_the_logits_are_those_from_which_the_tokens_were_taken():
    found = sides(TINY, [RE_DECODING])
    for side in found.values():
        tokens = side.decode(TINY.n)
        read = torch.cat([torch.full((5, 1), BOS), tokens[:, :-1]], dim=1)
        with torch.no_grad():
            assert torch.equal(side.logits(read).argmax(dim=-1), tokens)


def test_a_step_without_a_cache_gives_the_logits_of_one_with_it():
    side = sides(TINY, [])[OURS]
    model, source = ReDecoding(side.module), sources(3, 7, NARROW)
    with torch.no_grad():
        mine, its = side.module.start(*source), model.start(*source)
        for token in torch.tensor([[1, 1, 1], [4, 5, 6], [7, 7, 8]]):
            logits, mine, _ = side.module.step(token, mine)
            again, its, _ = model.step(token, its)
            torch.testing.assert_close(again, logits, rtol=0, atol=1e-12)
    assert its.read.tolist() == [[1, 4, 7], [1, 5, 7], [1, 6, 8]]


def test_a_side_that_computes_something_else_is_refused():
    found = sides(TINY, [RE_DECODING])
    tokens, other = found[OURS].decode(TINY.n), found[RE_DECODING]
    slightly = replace(other, logits=lambda read: other.logits(read) * (1 + 1e-9))
    with pytest.raises(RuntimeError, match="re-decoding does not write what we write: 0% other"):
        agreement(RE_DECODING, slightly, found[OURS], TINY, tokens)
    shifted = replace(other, decode=lambda length: other.decode(length).roll(1, dims=0))
    with pytest.raises(RuntimeError, match=r"does not write what we write: [1-9]\d*% other tokens"):
        agreement(RE_DECODING, shifted, found[OURS], TINY, tokens)


def test_a_side_that_stops_early_is_refused():
    tokens = sides(TINY, [])[OURS].decode(TINY.n)
    assert whole(tokens, TINY) is tokens
    with pytest.raises(RuntimeError, match=r"expected 5 x 7 tokens, got \(5, 6\)"):
        whole(tokens[:, :6], TINY)


def test_eos_is_never_written_once_its_row_is_zero():
    model = Transformer(config(1, 6, 3, 7, NARROW)).eval()
    source = sources(2, 7, NARROW)
    first = greedy(model, *source, max_length=1).tokens[0, 0]
    with torch.no_grad():
        model.unembedding.weight[EOS] = 9 * model.unembedding.weight[first]
    assert greedy(model, *source, max_length=7).lengths[0] == 0
    assert greedy(without_eos(model), *source, max_length=7).lengths.tolist() == [7, 7]
    assert not model.unembedding.weight[EOS].any()


def test_one_source_is_whole_and_several_grow():
    assert sources(1, 7, NARROW).mask.tolist() == [[True] * 7]
    several = sources(3, 7, NARROW)
    assert isinstance(several, Source)
    assert several.mask.sum(dim=1).tolist() == [3, 5, 7]
    assert several.tokens.shape == (3, 7)
    assert several.tokens.min() >= 4


def test_what_a_run_measures_is_a_case_that_the_package_reads():
    case = read_case(measure(TINY, [RE_DECODING]), DecodingCase)
    facts = (case.layers, case.d_model, case.heads, case.batch, case.n, case.rounds)
    assert facts == (2, 6, 3, 5, 7, 2)
    assert case.rival == RE_DECODING
    assert case.parameters[OURS] == case.parameters[RE_DECODING] > 0
    written = 8 * 5 * 7  # bytes of the tokens alone
    assert min(case.peak_bytes.values()) > written


def test_a_row_of_the_table_reads_as_expected():
    seconds = {OURS: 1.1, RE_DECODING: 5.5, X_TRANSFORMERS: 1.0}
    content = {
        **{"layers": 2, "d_model": 6, "heads": 3, "batch": 5, "n": 7, "rounds": 2},
        "parameters": dict.fromkeys(seconds, 13),
        "largest_difference": {},
        "seconds": {name: dict.fromkeys(("median", "q1", "q3"), s) for name, s in seconds.items()},
        "ratio": {
            RE_DECODING: {"median": 0.2, "q1": 0.19, "q3": 0.21},
            X_TRANSFORMERS: {"median": 1.1, "q1": 1.05, "q3": 1.2},
        },
        "peak_bytes": dict.fromkeys(seconds, 3 * 2**20),
    }
    assert decoding_table([content], header=False) == (
        "| 2+2 | 6 | 5 x 7 | 2 | 1100.0 | re-decoding 0.20 (0.19–0.21), "
        "x-transformers 1.10 (1.05–1.20) | bottomup 3, re-decoding 3, x-transformers 3 | slower |\n"
    )


def test_the_cases_have_names_of_their_own_and_one_length():
    assert CASES[0].name == "2x64:1"
    assert len({case.name for case in CASES}) == len(CASES) == 5
    assert {case.n for case in CASES} == {128}


def test_the_command_prints_the_table_and_writes_where_it_is_told(
    tmp_path, capsys, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(decoding, "CASES", (TINY,))
    path = tmp_path / "found.json"
    main(["--rounds", "3", "--peers", RE_DECODING, "--out", str(path)])
    result = read_benchmark(path)
    assert (result.vocabulary, result.sizes, result.peers) == (NARROW, (7,), (RE_DECODING,))
    assert set(result.versions) == {"python", "torch"}
    assert [case.rounds for case in result.cases] == [3]
    assert capsys.readouterr().out.count("\n| 2+2 |") == 1
