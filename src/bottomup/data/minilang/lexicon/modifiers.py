"""Adjectives, adverbs, times and numerals: one entry a line."""

from typing import NamedTuple


class Adjective(NamedTuple):
    """An adjective. `groups` are the noun groups (or nouns) it describes, "-son" one left out.

    `kind` is "adjective", "exist" (재미있다: -는 before a noun), "state" (a Korean verb in the
    perfect, as 늙은) or "attribute"; the last two stand only before a noun: 좋은 의사, but nobody
    says 의사는 좋다. `honorific` is the stem behind an elder, "" if it is regular. A `predicative`
    one never stands before its noun ("a full man").
    """

    english: str
    stem: str
    groups: tuple[str, ...]
    kind: str
    honorific: str
    predicative: bool


def _adjective(
    english: str, stem: str, groups: str, kind: str = "adjective", honorific: str = "", *,
    predicative: bool = False,
) -> Adjective:  # fmt: skip
    return Adjective(english, stem, tuple(groups.split()), kind, honorific, predicative)


_PERSON = "adult child"
_GOODS = "bag cup chair umbrella doll clock ring wallet table"
_PLACE = "building room nature town"

ADJECTIVES = (
    # size and shape
    _adjective("big", "크", f"animal fruit plant {_PLACE} box bag table window door ball"),
    _adjective("small", "작", "animal fruit building room town thing device stone clothes yard "
        "child -son -daughter"),
    _adjective("long", "길", "letter story novel bridge river movie poem pencil skirt"),
    _adjective("short", "짧", "letter story novel poem pencil skirt movie song"),
    _adjective("wide", "넓", "street river field room park playground garden yard kitchen office "
        "classroom"),
    _adjective("deep", "깊", "river sea"),
    _adjective("heavy", "무겁", "box bag chair table stone computer"),
    _adjective("light", "가볍", "box bag chair computer bicycle shoes sneakers camera"),
    # colour
    _adjective("red", "빨갛", "apple flower car bag dress skirt hat umbrella shoes coat"),
    _adjective("blue", "파랗", "sea car bag shirt skirt hat umbrella bird door"),
    _adjective("yellow", "노랗", "flower bird umbrella dress bus hat"),
    _adjective("white", "하얗", "dog cat horse rabbit flower house shirt dress sneakers"),
    _adjective("black", "까맣", "dog cat horse car coat bag shoes hat umbrella puppy"),
    # worth
    _adjective("good", "좋", "book movie song story answer camera weather medicine"),
    _adjective("good", "좋", "friend doctor teacher", "attribute"),
    _adjective("bad", "나쁘", "weather"),
    _adjective("new", "새롭", "book song novel movie friend teacher story game", "attribute"),
    _adjective("old", "오래되", f"{_GOODS} device instrument vehicle building room yard town book "
        "song letter magazine photo coat movie bridge box key door window", "state"),
    _adjective("old", "늙", "animal", "state"),
    _adjective("young", "젊", "man woman doctor farmer singer painter writer nurse soldier king "
        "director queen chef lawyer musician driver clerk player tourist fisherman"),
    _adjective("young", "어리", "boy girl son daughter"),
    _adjective("expensive", "비싸", f"{_GOODS} device instrument car bicycle clothes pair house "
        "flower picture meat cake coffee ticket"),
    _adjective("cheap", "싸", f"{_GOODS} device instrument pencil spoon car bicycle clothes pair "
        "fruit bread meat coffee flower ticket"),
    _adjective("pretty", "예쁘", "flower dress skirt doll ring girl daughter bird bag hat picture "
        "house shoes"),
    _adjective("beautiful", "아름답", "song flower garden sea palace park princess queen "
        "music city"),
    _adjective("dirty", "더럽", "room yard house shirt cup street socks sneakers coat river "
        "window bag water skirt"),
    _adjective("famous", "유명하", "singer painter writer doctor director player musician chef "
        "lawyer professor museum palace song novel picture restaurant park movie book"),
    _adjective("important", "중요하", "letter question problem book answer history secret"),
    _adjective("dangerous", "위험하", "street bridge river knife tiger bear"),
    # food, drink, weather
    _adjective("delicious", "맛있", "fruit dish coffee milk juice", "exist"),
    _adjective("sweet", "달", "apple orange cake cookie juice"),
    _adjective("spicy", "맵", "soup"),
    _adjective("hot", "뜨겁", "coffee soup water milk"),
    _adjective("hot", "덥", "weather room"),
    _adjective("cold", "차갑", "water milk juice"),
    _adjective("cold", "춥", "weather room"),
    _adjective("warm", "따뜻하", "weather bread milk coat room soup water"),
    _adjective("fresh", "신선하", "fruit milk meat bread"),
    # people and animals
    _adjective("kind", "친절하", f"{_PERSON} elder"),
    _adjective("smart", "똑똑하", f"{_PERSON} dog horse fox"),
    _adjective("brave", "용감하", "soldier prince boy girl king fisherman princess queen dog"),
    _adjective("lazy", "게으르", "student clerk cat pig son prince farmer"),
    _adjective("strong", "강하", "player soldier tiger bear king"),
    _adjective("cute", "귀엽", "baby dog cat puppy rabbit duck child doll bird girl"),
    _adjective("happy", "행복하", f"{_PERSON} elder baby"),
    _adjective("sad", "슬프", "song story movie poem novel"),
    _adjective("sad", "슬프", "elder adult child", predicative=True),
    _adjective("rich", "부유하", "king prince lawyer farmer woman man"),
    _adjective("tired", "피곤하", f"{_PERSON} elder animal -fish"),
    _adjective("hungry", "배고프", f"{_PERSON} elder baby animal -fish", "adjective", "시장하시",
        predicative=True),
    _adjective("thirsty", "목마르", f"{_PERSON} elder baby animal -fish", predicative=True),
    _adjective("sleepy", "졸리", f"{_PERSON} elder baby animal -fish", predicative=True),
    _adjective("sick", "아프", f"{_PERSON} elder baby animal -fish", "adjective", "편찮으시",
        predicative=True),
    _adjective("busy", "바쁘", f"{_PERSON} elder"),
    _adjective("scared", "겁먹", f"{_PERSON} baby animal -fish", "state", predicative=True),
    _adjective("bored", "심심하", f"{_PERSON} dog cat puppy", predicative=True),
    _adjective("full", "배부르", f"{_PERSON} elder baby animal -fish", predicative=True),
    # reading, pace
    _adjective("interesting", "재미있", "reading movie concert game lesson question soccer "
        "baseball", "exist"),
    _adjective("boring", "지루하", "book novel story movie concert magazine lesson"),
    _adjective("difficult", "어렵", "question problem book homework lesson song poem"),
    _adjective("easy", "쉽", "question problem book homework song game"),
    _adjective("fast", "빠르", "car train bicycle horse rabbit dog player subway"),
    _adjective("slow", "느리", "bus train cow"),
    _adjective("quiet", "조용하", "library village park room cafe forest beach garden"),
    _adjective("noisy", "시끄럽", "street market station city restaurant classroom"),
)  # fmt: skip

# adverbs of manner, behind the English verb phrase and before the Korean verb
MANNER = {
    "quietly": "조용히",
    "loudly": "크게",
    "slowly": "천천히",
    "quickly": "빨리",
    "carefully": "조심스럽게",
    "well": "잘",
    "hard": "열심히",
    "kindly": "친절하게",
    "happily": "즐겁게",
    "alone": "혼자",
    "together": "함께",
}
# adverbs of frequency, before the English verb and behind the Korean subject
FREQUENCY = {"often": "자주", "always": "항상", "sometimes": "가끔", "usually": "보통"}
DEGREE = {"very": "아주", "too": "너무", "really": "정말"}


class Time(NamedTuple):
    """When. `korean` holds a token with the numbers of the English words it stands for."""

    english: tuple[str, ...]
    korean: tuple[tuple[str, tuple[int, ...]], ...]
    tenses: tuple[str, ...]


def _time(english: str, tenses: str, *korean: tuple[str, tuple[int, ...]]) -> Time:
    return Time(tuple(english.split()), korean, tuple(tenses.split()))


TIMES = (
    _time("yesterday", "past", ("어제", (0,))),
    _time("today", "past future", ("오늘", (0,))),
    _time("tomorrow", "future", ("내일", (0,))),
    _time("now", "progressive", ("지금", (0,))),
    _time("every day", "present past", ("매일", (0, 1))),
    _time("this morning", "past", ("오늘", (0,)), ("아침", (1,)), ("-에", (1,))),
    _time("last night", "past", ("어젯밤", (0, 1)), ("-에", (1,))),
    _time("last week", "past", ("지난주", (0, 1)), ("-에", (1,))),
    _time("next year", "future", ("내년", (0, 1)), ("-에", (1,))),
    _time("in the morning", "present past", ("아침", (2,)), ("-에", (0,))),
    _time("in the evening", "present past", ("저녁", (2,)), ("-에", (0,))),
    _time("on sunday", "past future", ("일요일", (1,)), ("-에", (0,))),
    _time("on monday", "past future", ("월요일", (1,)), ("-에", (0,))),
    _time("in winter", "present past", ("겨울", (1,)), ("-에", (0,))),
    _time("in spring", "present past", ("봄", (1,)), ("-에", (0,))),
)
NUMERALS = dict(two="두", three="세", four="네", five="다섯", six="여섯", twenty="스무")
