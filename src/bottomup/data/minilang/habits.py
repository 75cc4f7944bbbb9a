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
SKILLS = "play swim drive ride dance cook sing fix fly make draw speak".split()
PERFORMED = ("play", "sing", "dance", "draw", "swim", "speak", "drive", "teach", "cook")
ONGOING = (
    "read write eat drink sleep play sing watch listen study cook draw walk run swim dance wait "
    "work "
    "clean wash make cut wear build fix drive ride cry laugh rest"
).split()
HABITS = (
    "read eat drink sleep play sing watch listen study cook walk run swim dance work clean wash "
    "wear go "
    "meet help cry laugh rest take drive ride speak wait write draw bark fly visit sit"
).split()
COUNTED = (
    "buy sell eat read write make give send draw wash find lose have fix plant raise cook".split()
)
DOUBLE = ("give", "send", "show", "teach")
UNIQUE = ("mother", "father", "boss", "son", "daughter", "uncle", "aunt", "king", "queen")
DEFINITE = ("like", "love", "know")
CREATING = ("write", "make", "build", "draw", "learn", "become")
CONSUMING = ("eat", "drink", "take", "sell", "send")
SINGULAR = ("become", "love", "like", "know")
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
