"""A small English and a small Korean, with gold alignments: made for reading attention maps.

`load` generates pairs of natural sentences. Korean puts the verb last, relative clauses before
their noun and particles behind it, so that an alignment can be seen.

**Tokens.** English is in lower case, one token a word. A Korean token is a stem, a particle or an
ending; one that begins with "-" is bound to the word before it: 할머니 -께서 책 세 -권 -을 읽 -으시
-었 -다. Endings are morphemes, one token each, whatever their sound: -느 (present), -었, -으시
(honorific), -ㄴ, -ㄹ, -다, -ㅂ니다 and so on; the future is -ㄹ 것이. Particles are tokens as they
sound: -은 or -는, -이 or -가, -을 or -를, -과 or -와, -으로 or -로, so that a model must learn
their agreement with the word before. A stem that is honorific by itself is one token (드시, 주무시,
계시). `detokenize` writes the sentence out.

**The target is a function of the source.** "the" before a subject gives 은/는, "a" gives 이/가; a
subject inside a relative or subordinate clause takes 이/가; "sir ," or "ma'am ," at the beginning
makes the sentence polite; a time at the beginning stays there, a time at the end follows the
subject. Exact match has the ceiling 1.

**Links.** Content words, "not", "because" and "when" are linked to their translation as sure.
Particles, endings, classifiers, 것이, 수 and the full stop are linked as possible to the words they
come from: a particle to the preposition, the article and the noun; an ending to the auxiliary, the
conjunction or the verb. Every target token has at least one link. Source words without a
counterpart have none: a pronoun that Korean drops, a comma. In the alignment error rate,
``1 - (|A & S| + |A & P|) / (|A| + |S|)`` with the sure links S contained in the possible links P
(Och and Ney, 2003), a token with possible links only costs nothing if it is left unaligned or
aligned to one of them.

**Glosses.** `gloss` names every sense of a token: 쓰 is "wear/write". `SentencePair.glosses` knows
the sentence and names the one it has there.

**Pronouns.** `SentencePair.antecedents` holds the noun that "he", "she", "it" or "they" stands for.
"it" in "because it rained" stands for nothing and is not listed.
"""

from bottomup.data.minilang.corpus import Corpus, Link, SentencePair, load
from bottomup.data.minilang.detokenize import detokenize
from bottomup.data.minilang.glosses import CLASSES, gloss, word_class
from bottomup.data.minilang.interlinear import Interlinear, interlinear
from bottomup.data.minilang.romanise import romanise

__all__ = [
    "CLASSES",
    "Corpus",
    "Interlinear",
    "Link",
    "SentencePair",
    "detokenize",
    "gloss",
    "interlinear",
    "load",
    "romanise",
    "word_class",
]
