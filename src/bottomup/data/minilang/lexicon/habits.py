"""How the verbs and nouns of the lexicon are used: what is usual, what would sound odd."""

TENSE_WEIGHTS = {
    "past": 9.0,
    "present": 5.0,
    "future": 3.0,
    "progressive": 2.5,
    "was": 0.7,
    "can": 1.5,
}
SIMPLE_TENSES = ("past", "present", "future")
SKILLS = "play swim drive ride dance cook sing fix fly make draw".split()
PERFORMED = ("play", "sing", "dance", "draw", "swim", "speak", "drive", "teach", "cook")
ONGOING = (
    "read write eat drink sleep play sing watch listen study cook draw walk run swim dance wait "
    "work clean wash make cut wear build fix drive ride cry laugh rest"
).split()
HABITS = (
    "read eat drink sleep play sing watch listen study cook walk run swim dance work clean wash "
    "wear go meet help cry laugh rest take drive ride speak wait write draw bark fly visit sit"
).split()
COUNTED = (
    "buy sell eat read write make give send draw wash find lose have fix plant raise cook".split()
)
DOUBLE = ("give", "send", "show", "teach")
UNIQUE = ("mother", "father", "boss", "son", "daughter", "uncle", "aunt", "king", "queen")
DEFINITE = ("like", "love", "know", "go", "come", "arrive", "leave")
CREATING = ("write", "make", "build", "draw", "learn", "become")
CONSUMING = ("eat", "drink", "take", "sell", "send")
SINGULAR = ("become", "love", "like", "know", "need", "have")
INDEFINITE = ("become", "have", "need")
SOCIAL = "watch study cook walk eat drink visit live go sing listen plant play clean".split()
UNCOUNTED = ("lesson", "sport", "name")
OUR = (
    "mother", "father", "grandmother", "grandfather", "uncle", "aunt", "son", "daughter", "baby",
    "dog", "cat", "puppy", "teacher", "house",
)  # fmt: skip
OWN = ("thing", "device", "clothes", "pair", "book", "car", "bicycle", "room", "house", "letter")
MINE = ("friend", *OUR)
FEMININE = ("dress", "skirt")
# The only verbs that go with a time whose last English word is the key.
TIME_VERBS = {
    "winter": ("work", "walk", "run", "visit", "study", "drink", "wear"),
    "spring": ("work", "walk", "run", "visit", "study", "plant", "ride"),
    "year": ("visit", "go", "come", "build", "learn", "study", "become", "plant", "raise"),
}
MOODS = ("happy", "tired", "busy")
# Adjectives of the doer that quarrel with the verb: "the busy man rested".
DOER_CLASH = {
    **dict.fromkeys("rest sleep play swim walk dance draw watch".split(), ("busy",)),
    **dict.fromkeys(("lose", "cry"), ("happy",)),
    **dict.fromkeys(("run", "dance"), ("tired",)),
}
_MADE = ("old", "famous", "expensive", "cheap", "dirty", "important", "heavy", "new", "fresh")
# Adjectives of the object that quarrel with the verb: "he drank dirty water".
OBJECT_CLASH = {
    **dict.fromkeys(("make", "write", "build"), _MADE),
    **dict.fromkeys(("eat", "drink", "give", "send", "sell", "love", "like", "need"), ("dirty",)),
    **dict.fromkeys(("buy", "have"), ("dirty", "old")),
    **dict.fromkeys(("wash", "plant", "cross", "open", "close"), ("expensive", "cheap")),
    "draw": ("expensive", "cheap", "dirty", "famous"), "wear": ("heavy", "light"),
    "take": ("old", "expensive", "cheap", "good"), "wait": ("old", "short", "long", "important"),
    "find": ("new",), "fix": ("new", "cheap"),
}  # fmt: skip
PLACE_CLASH = ("expensive", "cheap", "pretty", "white", "important")
# Verbs that can stand in one sentence: what is done in one place, with one purpose.
ACTIVITIES = tuple(
    set(line.split())
    for line in (
        "clean wash fix",
        "eat drink",
        "cook make cut eat",
        "read write study learn teach",
        "read write draw watch listen rest sleep",
        "know learn study",
        "play sing dance listen",
        "play run swim kick throw catch walk",
        "buy sell",
        "find lose",
        "go come arrive leave visit meet wait drive walk cross",
        "like love",
        "need have",
        "cry laugh",
        "rest sleep",
        "give send show",
        "plant",
        "raise",
        "fly run swim bark",
        "work build fix clean drive",
        "become",
        "wear",
    )
)
# Korean joins these to a second verb with -어서, which the corpus does not have.
NEVER_FIRST = "go come arrive leave drive cross rest sleep wait wear catch throw kick".split()


def related(first: str, second: str) -> bool:
    """Whether two verbs belong to one activity."""
    return any(first in activity and second in activity for activity in ACTIVITIES)
