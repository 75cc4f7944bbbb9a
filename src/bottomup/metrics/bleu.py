"""BLEU over tokens, computed by sacrebleu."""

from collections.abc import Sequence

from bottomup.data.vocabulary import composed


def bleu(hypotheses: Sequence[list[str]], references: Sequence[list[str]]) -> float:
    """Corpus BLEU, from 0 to 100.

    Hypotheses equal to their references score 100, provided that one of them has four tokens or
    more: a corpus of shorter ones has no 4-gram and scores 0.

    ``BLEU = 100 * BP * exp(1/4 * sum over n = 1..4 of log p_n)``

    p_n is the share of the hypotheses' n-grams that their references contain, counted over the
    whole corpus and clipped to the references' counts; BP = min(1, exp(1 - r / c)) is the brevity
    penalty for c hypothesis and r reference tokens. A p_n of zero is smoothed (exponentially).
    The tokens are taken as they are, in Unicode's composed form, NFC. sacrebleu's signature,
    without its version: ``nrefs:1|case:mixed|eff:no|tok:none|smooth:exp``. Chapter 06 takes the
    score apart.

    Args:
        hypotheses: the translations, each a list of tokens; one may be empty.
        references: one right translation for each, in the same order.

    Source: Papineni et al. (2002), section 2; Post (2018) for the signature.

    Example:
        >>> right, other = "the cat ate the meat".split(), "the cat ate the rice".split()
        >>> round(bleu([right], [right]), 6)
        100.0
        >>> round(bleu([other], [right]), 1)  # 4/5, 3/4, 2/3 and 1/2 of its 1- to 4-grams
        66.9
    """
    check_corpus(hypotheses, references)
    _check_sentences("hypotheses", hypotheses)
    _check_sentences("references", references)
    for number, sentence in enumerate(references):
        if len(sentence) == 0:
            raise ValueError(f"references[{number}]: expected at least one token, got none")
    joined = [composed(" ".join(sentence)) for sentence in hypotheses]
    right = [composed(" ".join(sentence)) for sentence in references]
    from sacrebleu.metrics import BLEU  # the other metrics do without

    # force=True: sacrebleu would warn that the sentences are tokenised, as they are meant to be.
    return float(BLEU(tokenize="none", force=True).corpus_score(joined, [right]).score)


def check_corpus(hypotheses: Sequence[object], references: Sequence[object]) -> None:
    """Check that there are two lists of equally many sentences, at least one."""
    for name, sentences in {"hypotheses": hypotheses, "references": references}.items():
        if isinstance(sentences, str) or not isinstance(sentences, Sequence):
            kind = type(sentences).__name__
            raise TypeError(f"{name}: expected a list of sentences, got {kind}")
    if len(hypotheses) == 0 or len(hypotheses) != len(references):
        raise ValueError(
            "hypotheses, references: expected the same number of sentences, at least one, "
            f"got {len(hypotheses)} and {len(references)}"
        )


def _check_sentences(name: str, sentences: Sequence[list[str]]) -> None:
    for number, sentence in enumerate(sentences):
        if not isinstance(sentence, list | tuple):
            raise TypeError(f"{name}[{number}]: expected a list of tokens, got {sentence!r}")
        for token in sentence:
            if not isinstance(token, str):
                raise TypeError(f"{name}[{number}]: expected tokens of type str, got {token!r}")
            if token.split() != [token]:
                raise ValueError(f"{name}[{number}]: expected no white space, got {token!r}")
