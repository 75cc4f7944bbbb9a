"""Chapter 05: the findings of Table 3 and the details outside it, as pairs of variants to compare.

The paper's perplexities and BLEU are those of its development set, newstest2013; its base model has
a perplexity of 4.92 and a BLEU of 25.8.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bottomup.experiments.engine.claim import Kind
from bottomup.i18n import _

ROWS = "Vaswani et al. (2017), table 3, rows {letter}"
CODE = "Tensor2Tensor, transformer_base_v2, beside Vaswani et al. (2017), section {section}"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A finding that compares two variants.

    Attributes:
        id, sentence, source, paper_value, repeats: of the claim; the sentence may name fields of
            the record's configuration.
        one, other: the variants.
        kind: "worse" (`one` predicts worse), "same" (they predict equally well) or "worse_bleu"
            (`one` translates worse).
        section: "table" or "details".
    """

    id: str
    sentence: str
    source: str
    paper_value: str
    one: str
    other: str = "base"
    kind: str = "worse"
    section: str = "table"
    repeats: str | None = None

    @property
    def kind_of_claim(self) -> Kind:
        """The claim's: what stands in the table is the paper's, what it leaves out is ours."""
        if self.repeats is not None:
            return Kind.REPETITION
        return Kind.PAPER if self.section == "table" else Kind.OWN


def findings() -> list[Finding]:
    """Return all findings, in the order of the claims' numbers."""
    found = [*_widths(), *_depths(), *_regularizers(), *_others(), *_details()]
    return sorted(found, key=lambda finding: finding.id)


def _widths() -> Sequence[Finding]:
    return (
        Finding(
            id="05.7a",
            sentence=_("A single head, as wide as the model, predicts worse than four."),
            source=ROWS.format(letter="A"),
            paper_value=_("h = 1: perplexity 5.29, BLEU 24.9; h = 8: 4.92 and 25.8"),
            one="heads_1",
        ),
        Finding(
            id="05.7b",
            sentence=_("Sixteen heads, each with narrow keys and values, predict worse than four."),
            source=ROWS.format(letter="A"),
            paper_value=_(
                "h = 32 (d_k = 16): perplexity 5.01, BLEU 25.4; h = 16: 4.91 and 25.8; h = 8: 4.92 "
                "and 25.8"
            ),
            one="heads_16",
        ),
        Finding(
            id="05.7c",
            sentence=_("Keys of a quarter of the width, with values as before, predict worse."),
            source=ROWS.format(letter="B"),
            paper_value=_("d_k = 16: perplexity 5.16, BLEU 25.1; d_k = 64: 4.92 and 25.8"),
            one="narrow_keys",
        ),
        Finding(
            id="05.7k",
            sentence=_("A narrower feed-forward network predicts worse."),
            source=ROWS.format(letter="C"),
            paper_value=_("d_ff = 1024: perplexity 5.12, BLEU 25.4; d_ff = 2048: 4.92 and 25.8"),
            one="d_ff_64",
        ),
    )


def _depths() -> Sequence[Finding]:
    return (
        Finding(
            id="05.7d",
            sentence=_("One layer a side predicts worse than two."),
            source=ROWS.format(letter="C"),
            paper_value=_("N = 2: perplexity 6.11, BLEU 23.7; N = 6: 4.92 and 25.8"),
            one="layers_1",
        ),
        Finding(
            repeats="05.7d",
            id="05.7l",
            sentence=_("Two layers a side predict worse than four."),
            source=ROWS.format(letter="C"),
            paper_value=_(
                "N = 4: perplexity 5.19, BLEU 25.3; N = 6: 4.92 and 25.8; N = 8: 4.88 and 25.5"
            ),
            one="base",
            other="layers_4",
        ),
    )


def _regularizers() -> Sequence[Finding]:
    rows = ROWS.format(letter="D")
    dropout = _(
        "in many passes: without dropout perplexity 5.77, BLEU 24.6; with 0.1: 4.92 and 25.8"
    )
    smoothing = _(
        "in many passes: without smoothing perplexity 4.67, BLEU 25.3; with 0.1: 4.92 and 25.8"
    )
    return (
        Finding(
            id="05.7e",
            sentence=_(
                "In a single pass over the sentences, the model predicts worse without dropout "
                "than with it."
            ),
            source=rows,
            paper_value=dropout,
            one="base",
            other="dropout",
        ),
        Finding(
            id="05.7g",
            sentence=_(
                "In a single pass over the sentences, label smoothing makes the predictions worse."
            ),
            source=rows,
            paper_value=smoothing,
            one="smoothing",
        ),
        Finding(
            id="05.7h",
            sentence=_("In a single pass over the sentences, label smoothing raises BLEU."),
            source=rows,
            paper_value=smoothing,
            one="base",
            other="smoothing",
            kind="worse_bleu",
        ),
        Finding(
            repeats="05.7e",
            id="05.7j",
            sentence=_(
                "Where few sentences are seen many times, the model predicts worse without dropout."
            ),
            source=rows,
            paper_value=dropout,
            one="small",
            other="small_dropout",
        ),
        Finding(
            repeats="05.7g",
            id="05.7m",
            sentence=_(
                "Where few sentences are seen many times, label smoothing makes the predictions "
                "worse."
            ),
            source=rows,
            paper_value=smoothing,
            one="small_smoothing",
            other="small",
        ),
        Finding(
            repeats="05.7h",
            id="05.7n",
            sentence=_("Where few sentences are seen many times, label smoothing raises BLEU."),
            source=rows,
            paper_value=smoothing,
            one="small",
            other="small_smoothing",
            kind="worse_bleu",
        ),
    )


def _others() -> Sequence[Finding]:
    return (
        Finding(
            id="05.7f",
            sentence=_(
                "Learned positions predict as well as sinusoids, within a hundredth of a nat."
            ),
            source="Vaswani et al. (2017), table 3, row E",
            paper_value=_("learned: perplexity 4.92, BLEU 25.7; sinusoids: 4.92 and 25.8"),
            one="learned_positions",
            kind="same",
        ),
        Finding(
            id="05.7i",
            sentence=_(
                "One layer used twice a side predicts worse than two layers with weights of their "
                "own."
            ),
            source="Vaswani et al. (2017), section 3.3",
            paper_value=_("parameters differ from layer to layer; sharing them is not tried"),
            one="shared_layers",
            section="details",
        ),
    )


def _details() -> Sequence[Finding]:
    return (
        Finding(
            id="05.8a",
            sentence=_(
                "In a shallow model at a rate of {learning_rate:g}, post-norm, as in the text, "
                "predicts as well as pre-norm, within a hundredth of a nat."
            ),
            source=CODE.format(section="3.1"),
            paper_value=_(
                "text and first code: LayerNorm behind the sum; later default: before the sublayer"
            ),
            one="post_norm",
            kind="same",
            section="details",
        ),
        Finding(
            id="05.8b",
            sentence=_(
                "Dropout on attention weights and activations too changes predictions by less than "
                "a hundredth of a nat beside dropout on updates and embeddings."
            ),
            source=CODE.format(section="5.4"),
            paper_value=_("text and first code: updates and embeddings; later default: all four"),
            one="dropout",
            other="dropout_updates",
            kind="same",
            section="details",
        ),
        Finding(
            id="05.8c",
            sentence=_(
                "The biases of the attentions' four maps change predictions by less than a "
                "hundredth of a nat."
            ),
            source=_("Tensor2Tensor, multihead_attention, beside {paper}").format(
                paper="Vaswani et al. (2017), section 3.2.2"
            ),
            paper_value=_("the formula has no biases, the later code none; torch has them"),
            one="no_biases",
            kind="same",
            section="details",
        ),
        Finding(
            id="05.8d",
            sentence=_(
                "The LayerNorm that torch appends to a post-norm stack changes predictions by less "
                "than a hundredth of a nat."
            ),
            source=_("nn.Transformer, beside {paper}").format(
                paper="Vaswani et al. (2017), section 3.1"
            ),
            paper_value=_("none in the text; torch always appends one"),
            one="post_norm_final",
            other="post_norm",
            kind="same",
            section="details",
        ),
        Finding(
            id="05.8e",
            sentence=_(
                "A separate table for the logits predicts as well as the target's table in both "
                "jobs, within a hundredth of a nat."
            ),
            source="Vaswani et al. (2017), section 3.4",
            paper_value=_(
                "one table for both embeddings and the logits, not tried without; here two, since "
                "the vocabularies differ"
            ),
            one="shared_none",
            kind="same",
            section="details",
        ),
    )
