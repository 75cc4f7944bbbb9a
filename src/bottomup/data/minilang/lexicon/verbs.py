"""The English verbs and their inflection."""

from typing import NamedTuple

from bottomup.data.minilang.lexicon.nouns import with_s

_BASES = (
    "arrive bark become build buy catch clean close come cook cross cry cut dance draw drink drive "
    "eat find fix fly give go have help kick know laugh learn leave like listen live lose love "
    "make meet need open plant play raise read rest ride run sell send show sing sit sleep speak "
    "study swim take teach throw visit wait walk wash watch wear work write"
).split()
_IRREGULAR_PASTS = dict(
    pair.split(":")
    for pair in (
        "become:became build:built buy:bought catch:caught come:came cut:cut draw:drew drink:drank "
        "drive:drove eat:ate find:found fly:flew give:gave go:went have:had know:knew leave:left "
        "lose:lost make:made meet:met read:read ride:rode run:ran sell:sold send:sent sing:sang "
        "sit:sat sleep:slept speak:spoke swim:swam take:took teach:taught throw:threw wear:wore "
        "write:wrote"
    ).split()
)
_DOUBLED = ("cut", "run", "sit", "swim")  # cutting


class Verb(NamedTuple):
    """The four forms of an English verb."""

    base: str
    third: str
    past: str
    ing: str


def _verb(base: str) -> Verb:
    third = "has" if base == "have" else with_s(base)
    stem = base[:-1] + "i" if third.endswith("ies") else base.removesuffix("e")  # cried, liked
    past = _IRREGULAR_PASTS.get(base, stem + "ed")
    open_stem = base + base[-1] if base in _DOUBLED else base.removesuffix("e")
    return Verb(base, third, past, open_stem + "ing")


VERBS = {base: _verb(base) for base in _BASES}
