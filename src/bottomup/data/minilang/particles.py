"""Particles, and the sound of the word before that chooses between their two shapes."""

from functools import cache

from bottomup.data.minilang.hangul import final_of

# role: (after a final consonant, after a vowel)
PARTICLES = {
    "topic": ("-은", "-는"),
    "subject": ("-이", "-가"),
    "complement": ("-이", "-가"),
    "object": ("-을", "-를"),
    "with": ("-과", "-와"),
    "toward": ("-으로", "-로"),
    "to": ("-에", "-에"),
    "in": ("-에서", "-에서"),
    "dative": ("-에게", "-에게"),
}
HONORIFIC_PARTICLES = {"topic": "-께서는", "subject": "-께서", "dative": "-께"}
PLURAL = "-들"

PARTICLE_GLOSSES = {
    "-은": "-TOP",
    "-는": "-TOP",
    "-께서는": "-TOP.HON",
    "-이": "-NOM",
    "-가": "-NOM",
    "-께서": "-NOM.HON",
    "-을": "-OBJ",
    "-를": "-OBJ",
    "-과": "-with",
    "-와": "-with",
    "-으로": "-by",
    "-로": "-by",
    "-에": "-at",
    "-에서": "-in",
    "-에게": "-DAT",
    "-께": "-DAT.HON",
    PLURAL: "-PL",
}
CLASSIFIERS = (
    "명",
    "분",
    "마리",
    "권",
    "개",
    "장",
    "대",
    "송이",
    "그루",
    "통",
    "자루",
    "벌",
    "잔",
    "병",
)


@cache
def particle(role: str, before: str, *, honorific: bool = False) -> str:
    """The particle token for `role` after the word `before`: ("toward", "서울") -> "-로".

    `before` is the token that the particle follows: a noun, the plural -들 or a classifier. -으로
    loses its 으 after a vowel and after ㄹ. An honorific noun takes 께서, 께서는 and 께.
    """
    if role not in PARTICLES:
        raise ValueError(f"role: expected one of {', '.join(PARTICLES)}, got {role!r}")
    if honorific and role in HONORIFIC_PARTICLES:
        return HONORIFIC_PARTICLES[role]
    final = final_of(before)
    closed = final != "" and not (role == "toward" and final == "ㄹ")
    return PARTICLES[role][0 if closed else 1]
