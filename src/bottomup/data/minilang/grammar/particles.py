"""Particles, and the sound of the word before that chooses between their two shapes."""

from functools import cache

from bottomup.data.minilang.grammar.hangul import final_of

# role: (after a final consonant, after a vowel, gloss)
PARTICLES = {
    "topic": ("-은", "-는", "-TOP"),
    "subject": ("-이", "-가", "-NOM"),
    "complement": ("-이", "-가", "-NOM"),
    "object": ("-을", "-를", "-OBJ"),
    "with": ("-과", "-와", "-with"),
    "toward": ("-으로", "-로", "-by"),
    "to": ("-에", "-에", "-at"),
    "in": ("-에서", "-에서", "-in"),
    "dative": ("-에게", "-에게", "-DAT"),
}
HONORIFIC_PARTICLES = {"topic": "-께서는", "subject": "-께서", "dative": "-께"}
PLURAL = "-들"
PARTICLE_GLOSSES = {
    **{token: gloss for *shapes, gloss in PARTICLES.values() for token in shapes},
    **{token: f"{PARTICLES[role][2]}.HON" for role, token in HONORIFIC_PARTICLES.items()},
    PLURAL: "-PL",
}
CLASSIFIERS = tuple("명 분 마리 권 개 장 대 송이 그루 통 자루 벌 잔 병".split())


@cache
def particle(role: str, before: str, *, honorific: bool = False) -> str:
    """The particle token for `role` after the word `before`: ("toward", "서울") -> "-로".

    `before` is the token that the particle follows: a noun, the plural -들 or a classifier. -으로
    loses its 으 after a vowel and after ㄹ. An honorific noun takes 께서, 께서는 and 께.
    """
    if honorific and role in HONORIFIC_PARTICLES:
        return HONORIFIC_PARTICLES[role]
    final = final_of(before)
    closed = final != "" and not (role == "toward" and final == "ㄹ")
    return PARTICLES[role][0 if closed else 1]
