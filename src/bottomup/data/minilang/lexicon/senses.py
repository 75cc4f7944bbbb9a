"""What can happen: each entry pairs one English verb with one Korean stem and the nouns that fit.

An entry is a *sense*. English "play" has four of them here, because Korean has a verb for each kind
of instrument: 피아노를 치다, 플루트를 불다, 바이올린을 켜다, 게임을 하다. Every list of nouns is
written out, so that nobody eats a piano, and stands in the order of how often the corpus draws from
it.
"""

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Sense:
    """One English verb with one Korean stem.

    Attributes:
        topics: the topics it belongs to.
        verb: the English base form, a key of `verbs.VERBS`.
        stem: the Korean stem token; `honorific` replaces it behind an elder ("" if regular).
        who: groups and nouns that can be the subject; "-bird" is left out of its group.
        objects: the nouns that can be the object; none for an intransitive verb.
        preposition: what English puts before the object ("listen *to* music").
        role: the particle of the object, a key of `particles.PARTICLES`.
        places: where it happens, nouns for `place_role`: 에서, or 에 for what stays there.
        to: whom it is done to, groups for 에게 and 께.
        humble: the stem when the receiver, or the object of a verb without one, is an elder.
        tools: nouns for (으)로, with an English "with".
        manner: adverbs that fit.
        because: adjectives of the subject that are a reason to do it.
        unless: adjectives of the subject that are a reason not to do it.
        object_because: adjectives of the object that are a reason to do it.
        object_unless: adjectives of the object that are a reason not to do it.
        tenses: the tenses it occurs in, but for "can".
        predicate: "verb", or "exist" for stems that take no -느 before -다 (있다).
        refusal: 않, or 못하 for what one does not choose (찾지 못했다).
        negative: the Korean stem that replaces stem + not (알다, 모르다).
    """

    topics: tuple[str, ...]
    verb: str
    stem: str
    honorific: str = ""
    who: tuple[str, ...] = ("elder", "adult", "child")
    objects: tuple[str, ...] = ()
    preposition: str = ""
    role: str = "object"
    places: tuple[str, ...] = ()
    place_role: str = "in"
    to: tuple[str, ...] = ()
    humble: str = ""
    tools: tuple[str, ...] = ()
    manner: tuple[str, ...] = ()
    because: tuple[str, ...] = ()
    unless: tuple[str, ...] = ("busy", "tired", "sick", "sleepy")
    object_because: tuple[str, ...] = ()
    object_unless: tuple[str, ...] = ()
    tenses: tuple[str, ...] = ("past", "present", "future", "progressive", "was")
    predicate: str = "verb"
    negative: str = ""
    refusal: str = "않"


_LISTS = {field.name for field in fields(Sense) if field.type is not str}


def sense(topics: str, verb: str, stem: str, objects: str = "", **more: str) -> Sense:
    """Build a `Sense` from words separated by blanks: a table of senses reads as a table."""
    texts = {"topics": topics, "verb": verb, "stem": stem, "objects": objects, **more}
    entry: dict[str, Any] = {
        name: tuple(text.split()) if name in _LISTS else text for name, text in texts.items()
    }
    return Sense(**entry)


PETS = "dog cat puppy"
OUTDOORS = "animal -dog -cat -puppy -fish"
ON_LAND = "animal -bird -bat -duck -fish"
FOOD = "bread rice apple cake soup meat orange cookie egg"
GOODS = "bag clock umbrella hat coat ring doll dress shirt camera computer phone"
READING = "book letter newspaper story novel magazine poem"

# Daily life first: home, food, shopping, town, nature; then school, music, art, work, sport.
SENSES = (
    # rest and sleep
    sense("home", "sleep", "자", honorific="주무시", who="elder adult child baby",
          places="room house", manner="quietly well", because="tired sleepy sick",
          unless="hungry sick sad"),
    sense("nature home", "sleep", "자", who=PETS, places="yard house room garden",
          manner="quietly well", because="tired sleepy full", unless="hungry scared"),
    sense("nature", "sleep", "자", who=OUTDOORS, places="forest field farm", manner="quietly well",
          because="tired sleepy full", unless="hungry scared"),
    sense("home town nature", "rest", "쉬", who="elder adult child baby",
          places="room house park garden", because="tired sick sleepy", unless="busy"),
    sense("nature home", "rest", "쉬", who=PETS, places="yard house room garden",
          because="tired sick sleepy", unless="scared"),
    sense("nature", "rest", "쉬", who=OUTDOORS, places="forest field farm",
          because="tired sick sleepy", unless="scared"),
    sense("home school", "cry", "울", who="child baby woman man princess", places="room",
          manner="loudly quietly", because="sad hungry tired scared sick", unless="happy",
          tenses="past present progressive was"),
    sense("home school sport", "laugh", "웃", who="elder adult child baby", manner="loudly happily",
          because="happy", unless="sad tired sick", tenses="past present progressive was"),
    sense("nature home", "sit", "앉", "chair stone", preposition="on", role="to",
          manner="quietly alone together", because="tired", unless="busy",
          tenses="past present future"),
    # house work
    sense("home work", "clean", "청소하", "room kitchen house classroom office yard",
          manner="quickly quietly hard carefully", object_because="dirty"),
    sense("home food", "wash", "씻", "apple carrot potato cup spoon", places="kitchen",
          manner="quickly carefully", object_because="dirty"),
    sense("home shopping", "wash", "빨", "shirt socks skirt coat sneakers", places="yard",
          manner="quickly carefully", object_because="dirty"),
    sense("home school", "open", "열", "door window box", manner="quietly slowly carefully",
          unless=""),
    sense("home school", "close", "닫", "door window", manner="quietly slowly carefully",
          unless=""),
    sense("school", "open", "펴", "book umbrella magazine", manner="slowly quickly", unless=""),
    sense("home work", "fix", "고치", "clock computer bicycle chair car camera phone table",
          who="elder adult", places="yard office house", manner="quickly well carefully",
          object_because="old", object_unless="old"),
    sense("home shopping", "find", "찾", "key wallet ring bag umbrella photo phone ticket",
          places="room house park bus", unless="", tenses="past", refusal="못하"),
    sense("home shopping town", "lose", "잃어버리", "key wallet umbrella ring bag phone ticket hat",
          places="market park station school airport", unless="", tenses="past"),
    # food
    sense("food home", "eat", "먹", FOOD, honorific="드시",
          places="kitchen restaurant room house cafe", manner="quickly slowly", because="hungry",
          unless="sick busy full", object_because="delicious sweet", object_unless="spicy hot"),
    sense("nature food home", "eat", "먹", "meat fish", who="dog cat tiger bear fox puppy",
          manner="quickly slowly", because="hungry", unless="sick full scared",
          object_because="fresh"),
    sense("nature", "eat", "먹", "carrot apple", who="rabbit horse cow pig bear",
          manner="quickly slowly", because="hungry", unless="sick full scared",
          object_because="sweet"),
    sense("nature", "eat", "먹", "bread", who="bird duck mouse dog", manner="quickly slowly",
          because="hungry", unless="sick full scared"),
    sense("food home", "drink", "마시", "water coffee milk juice", honorific="드시",
          places="kitchen cafe room office", manner="quickly slowly", because="thirsty",
          unless="sick busy full", object_because="sweet", object_unless="hot cold"),
    sense("nature home", "drink", "마시", "water", who="animal", manner="quickly slowly",
          because="thirsty", unless="sick sleepy scared", object_unless="dirty"),
    sense("home food", "drink", "마시", "milk", who="cat puppy baby", manner="quickly slowly",
          because="hungry thirsty", unless="sick sleepy full"),
    sense("food home", "cook", "요리하", "meat potato carrot egg", places="kitchen restaurant",
          manner="slowly quickly", because="hungry", object_because="fresh cheap"),
    sense("food", "make", "만들", "bread cake soup cookie juice", places="kitchen restaurant",
          manner="slowly quickly well", because="hungry bored happy"),
    sense("home art", "make", "만들", "doll bag gift hat", places="yard house room",
          manner="slowly quickly well", because="bored"),
    sense("home art work", "make", "만들", "chair table box",
          who="man woman father grandfather farmer uncle", places="yard house",
          manner="slowly quickly well", because="bored"),
    sense("food", "cut", "자르", "bread cake apple meat carrot orange", places="kitchen",
          tools="knife", manner="slowly carefully quickly", unless=""),
    sense("home", "take", "먹", "medicine", honorific="드시", places="room hospital",
          because="sick", unless="busy"),
    # shopping
    sense("shopping food", "buy", "사", "bread apple coffee meat cake milk orange potato egg",
          places="market store", unless="busy", object_because="cheap fresh",
          object_unless="expensive"),
    sense("shopping home", "buy", "사", GOODS, places="market store", unless="busy",
          object_because="cheap pretty", object_unless="expensive old"),
    sense("town work", "buy", "사", "ticket house car bicycle", unless="busy",
          object_because="cheap", object_unless="expensive old"),
    sense("shopping food", "sell", "팔", "bread apple coffee meat orange potato",
          who="clerk farmer man woman", to="elder adult", places="market store",
          unless="tired sick"),
    sense("shopping", "sell", "팔", "umbrella bag hat shirt flower", who="clerk man woman",
          to="elder adult", places="market store", unless="tired sick"),
    sense("food", "sell", "팔", "bread cake soup coffee cookie", who="chef clerk", to="elder adult",
          places="restaurant cafe", unless="tired sick"),
    sense("shopping home", "wear", "입", "coat dress shirt skirt", unless="",
          object_because="pretty warm", object_unless="dirty old small"),
    sense("shopping home", "wear", "신", "shoes sneakers socks", unless="",
          object_because="pretty warm", object_unless="dirty old small"),
    sense("shopping home", "wear", "쓰", "hat glasses", unless="", object_because="pretty",
          object_unless="old small"),
    sense("shopping work", "need", "필요하", "money time umbrella bag coat computer medicine car",
          role="complement", tenses="present past", predicate="adjective", unless=""),
    sense("shopping work home", "have", "있", "money time car house question secret camera bicycle",
          role="complement", tenses="present past", predicate="exist", negative="없", unless=""),
    # people
    sense("home town school", "meet", "만나", "friend doctor man woman student tourist uncle aunt",
          places="park cafe station school restaurant market airport", unless="busy tired sick"),
    sense("home town work", "help", "돕",
          "friend man woman child farmer tourist grandmother mother", humble="도와드리",
          manner="kindly well", unless="busy tired sick"),
    sense("home town", "wait", "기다리", "bus friend train taxi letter guest son daughter",
          preposition="for", places="station", manner="quietly alone", unless="busy tired"),
    sense("home nature", "love", "사랑하",
          "child son daughter dog cat baby friend animal flower sea", tenses="present past",
          unless=""),
    sense("home food nature music", "like", "좋아하",
          "dog flower coffee music song cat bread sea apple soup juice movie rabbit",
          tenses="present past", unless=""),
    sense("home food", "give", "주", "bread apple gift milk cookie doll flower book water",
          to="child adult elder", humble="드리", unless="busy"),
    sense("nature home", "give", "주", "meat milk", to="cat dog puppy", unless="busy"),
    sense("nature", "give", "주", "water bread", to="bird duck cow horse pig", unless="busy"),
    sense("nature home", "give", "주", "water", to="plant", unless="busy"),
    sense("home school town", "send", "보내", "letter gift photo book money flower",
          to="adult elder", unless="busy"),
    # ways through the town
    sense("town school home", "go", "가", "school market hospital library park station museum "
          "restaurant airport theater zoo beach seoul busan", preposition="to", role="to",
          manner="quickly alone", unless="busy tired sick"),
    sense("town home", "come", "오", "house hospital park school restaurant office village seoul",
          preposition="to", role="to", manner="quickly alone", unless="busy tired sick"),
    sense("town", "arrive", "도착하", "station airport school palace hospital village museum",
          preposition="at", role="to", unless="busy", tenses="past future"),
    sense("town", "leave", "떠나", "seoul busan", preposition="for", role="toward",
          manner="quickly alone", unless="busy tired sick"),
    sense("town home", "live", "살", "seoul busan city village house", preposition="in", role="to",
          manner="happily alone quietly", tenses="present past", unless=""),
    sense("town art", "live", "살", "palace", who="king queen prince princess", preposition="in",
          role="to", manner="happily quietly", tenses="present past", unless=""),
    sense("town work", "take", "타", "bus taxi train subway", unless="sick", because="tired"),
    sense("town art", "take", "찍", "photo", places="park beach palace zoo garden", manner="well"),
    sense("town work", "drive", "운전하", "car", who="adult father mother",
          manner="slowly carefully quickly", unless="tired sick sleepy"),
    sense("town work", "drive", "운전하", "bus taxi", who="driver",
          manner="slowly carefully quickly", unless="tired sick sleepy"),
    sense("town sport", "ride", "타", "bicycle horse", places="park beach field village",
          manner="well quickly slowly", unless="tired sick", object_because="fast"),
    sense("town", "visit", "방문하", "museum palace school zoo farm village hospital seoul",
          unless="busy tired sick", object_because="famous"),
    sense("town nature", "cross", "건너", "street bridge river", who=f"elder adult child {ON_LAND}",
          manner="slowly quickly carefully", unless="tired scared sick",
          object_unless="wide dangerous"),
    sense("town nature home", "walk", "걷", places="park garden beach forest village",
          manner="slowly alone together quickly", unless="tired sick busy", because="happy bored"),
    # nature
    sense("nature", "run", "달리", who=f"child {ON_LAND}", places="field forest yard",
          manner="quickly together", because="happy scared", unless="tired sick sleepy"),
    sense("nature home", "bark", "짖", who="dog puppy", manner="loudly", places="yard park",
          because="hungry scared", unless="sleepy tired sick"),
    sense("nature", "fly", "날", who="bird bat", manner="quickly slowly together",
          unless="tired sick scared"),
    sense("nature", "swim", "헤엄치", who="duck dog fish", places="river sea",
          manner="well quickly slowly together", because="happy", unless="tired sick scared"),
    sense("nature", "swim", "수영하", who="child adult", places="river sea",
          manner="quickly slowly together", because="happy bored", unless="tired sick scared"),
    sense("nature", "catch", "잡", "fish", who="fisherman man boy", places="river sea",
          manner="quickly", unless="tired sick busy"),
    sense("nature", "catch", "잡", "fish", who="cat bear", places="river", manner="quickly",
          because="hungry", unless="tired sick full"),
    sense("nature home", "catch", "잡", "mouse bird", who="cat fox", places="yard field",
          manner="quickly", because="hungry", unless="tired sick full"),
    sense("nature", "catch", "잡", "rabbit", who="fox tiger", places="forest field",
          manner="quickly", because="hungry", unless="tired sick full"),
    sense("nature", "plant", "심", "tree flower potato carrot", who="elder adult child",
          place_role="to", places="garden yard farm field", manner="carefully together",
          object_because="pretty"),
    sense("nature home", "raise", "키우", "dog cat cow pig rabbit horse duck flower puppy",
          who="elder adult child", places="farm house yard", manner="well", unless="busy",
          object_because="cute"),
    # school and reading
    sense("school home art", "read", "읽", READING,
          places="library room park classroom cafe garden", manner="quietly slowly quickly",
          because="bored", object_because="interesting famous short",
          object_unless="boring difficult long"),
    sense("school", "know", "알", "answer name song story secret problem", tenses="present past",
          negative="모르", manner="well", unless="", object_because="easy famous",
          object_unless="difficult"),
    sense("school art home", "write", "쓰", "letter book story poem novel", tools="pencil",
          places="room library cafe office classroom", manner="quickly slowly well"),
    sense("school", "study", "공부하", "english korean math history science", who="adult child",
          places="library school room classroom", manner="hard quietly together",
          object_because="interesting important", object_unless="difficult boring"),
    sense("school", "learn", "배우", "english korean math history science", places="school library",
          manner="quickly slowly hard", who="adult child",
          object_because="interesting important easy", object_unless="difficult"),
    sense("music", "learn", "배우", "song piano violin guitar", places="school",
          manner="quickly slowly hard", who="adult child", object_because="easy famous",
          object_unless="difficult"),
    sense("school", "teach", "가르치", "english korean math history science", who="elder adult",
          to="child student friend", places="school library classroom", manner="well kindly",
          unless="busy tired sick"),
    sense("music", "teach", "가르치", "song piano violin", who="teacher professor musician singer",
          to="child student friend", places="school", manner="well kindly",
          unless="busy tired sick"),
    sense("school", "show", "보여주", "picture book letter photo homework", humble="보여드리",
          to="child friend student elder", unless="busy"),
    # music
    sense("music home", "play", "치", "piano guitar drum", places="room school house theater",
          manner="well quietly loudly slowly", because="happy sad bored"),
    sense("music home", "play", "불", "flute", places="room school park theater",
          manner="well quietly loudly slowly", because="happy sad bored"),
    sense("music home", "play", "켜", "violin", places="room school house theater",
          manner="well quietly slowly", because="happy sad bored"),
    sense("music home", "sing", "부르", "song", places="room school theater park",
          manner="well quietly loudly together", because="happy sad", object_because="easy famous",
          object_unless="difficult sad"),
    sense("music", "dance", "춤추", places="theater park room palace school",
          manner="together happily slowly", because="happy", unless="tired sick sad"),
    sense("music home", "listen", "듣", "music song story", preposition="to",
          places="room cafe park house theater", manner="quietly alone together",
          because="sad tired bored happy", object_because="interesting sad famous"),
    # pictures and shows
    sense("art school", "draw", "그리", "picture flower tree animal horse house cat sea",
          tools="pencil", places="room park classroom garden", manner="well slowly quickly",
          because="bored happy"),
    sense("art music", "watch", "보", "concert", places="theater", manner="quietly together alone",
          because="bored", object_because="famous"),
    sense("art home", "watch", "보", "movie", places="theater house",
          manner="quietly together alone", because="bored", object_because="interesting famous",
          object_unless="boring long"),
    sense("art town", "like", "좋아하", "picture movie poem flower photo museum palace novel",
          tenses="present past", unless="", object_because="pretty famous interesting"),
    sense("art shopping", "buy", "사", "picture camera pencil flower ticket", places="store market",
          object_because="pretty cheap", object_unless="expensive old", unless="busy"),
    sense("art music", "become", "되", "painter singer writer musician director", role="complement",
          who="child student man woman friend prince", tenses="past future", unless=""),
    sense("work school", "become", "되", "doctor lawyer nurse teacher soldier chef",
          role="complement", who="child student man woman friend prince", tenses="past future",
          unless=""),
    # work
    sense("work", "work", "일하", places="office hospital farm store restaurant",
          manner="hard quickly slowly together", who="elder adult", unless="tired sick"),
    sense("work", "build", "짓", "house school hospital library",
          who="man woman king farmer soldier uncle", place_role="to", places="village city seoul",
          manner="quickly well together", unless="busy"),
    sense("work", "sell", "팔", "car house computer bicycle camera", who="adult elder",
          object_because="old", unless="busy"),
    sense("work home", "send", "보내", "letter money photo gift", to="elder adult", unless="busy"),
    sense("work school", "speak", "말하", honorific="말씀하시", manner="quietly slowly loudly",
          places="office classroom school", unless="tired sick scared"),
    # sport
    sense("sport school", "play", "하", "soccer baseball game", places="playground park school",
          manner="together hard", because="bored happy", unless="busy tired sick"),
    sense("sport", "play", "치", "tennis", places="park playground school",
          manner="well together hard", because="bored happy", unless="busy tired sick"),
    sense("sport", "kick", "차", "ball", who="boy child player girl student soldier",
          places="playground park field", manner="well quickly", unless="tired sick"),
    sense("sport", "throw", "던지", "ball stone", who="adult child", manner="well quickly",
          places="playground field", unless="tired sick", object_unless="heavy"),
    sense("sport", "catch", "잡", "ball", who="player boy child girl dog", manner="well quickly",
          places="playground park", unless="tired"),
    sense("sport school", "run", "달리", who="adult child", places="playground park beach",
          manner="quickly slowly together hard", because="happy", unless="tired sick"),
    sense("sport", "swim", "수영하", who="elder adult child", places="sea river",
          manner="quickly slowly together", because="bored happy", unless="tired sick scared"),
    sense("sport art", "watch", "보", "movie", places="house room", manner="together quietly",
          because="bored", object_because="interesting", object_unless="boring long"),
)  # fmt: skip
