"""The clipped counts of BLEU, of chapter 06: by sacrebleu."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

from bottomup.exercises import catalog

BLEU_CLIPPING = catalog()["bleu-clipping"]

SENTENCES = st.lists(
    st.tuples(*[st.lists(st.sampled_from("abc"), max_size=9)] * 2), min_size=1, max_size=4
)


@given(SENTENCES, st.integers(1, 4))
def test_the_counts_are_sacrebleu_s(pairs: list[tuple[list[str], list[str]]], n: int):
    hypotheses, references = ([list(side) for side in sides] for sides in zip(*pairs, strict=True))
    score = BLEU(tokenize="none", force=True, smooth_method="none").corpus_score(
        [" ".join(sentence) for sentence in hypotheses],
        [[" ".join(sentence) for sentence in references]],
    )
    matched, total = score.counts[n - 1], score.totals[n - 1]
    expected = matched / total if total else 0.0
    assert BLEU_CLIPPING.solution(hypotheses, references, n) == pytest.approx(expected)
