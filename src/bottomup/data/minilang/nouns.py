"""The nouns: one entry a line, in groups that decide what a noun may do.

Columns: English, its plural ("" for a noun without one), Korean, and one more: for people the
pronoun that stands for them ("he", "she" or ""), for everything else the Korean classifier it is
counted with ("" if the corpus never counts it). The group of a noun decides its adjectives, its
pronoun and whether it takes honorific particles.
"""

from typing import NamedTuple

PEOPLE_GROUPS = ("elder", "adult", "child", "baby")
LIVING_GROUPS = (*PEOPLE_GROUPS, "animal")
FOOD_GROUPS = ("fruit", "dish", "drink")


class Noun(NamedTuple):
    """One noun of both languages."""

    english: str
    plural: str
    korean: str
    group: str
    pronoun: str
    classifier: str

    @property
    def honorific(self) -> bool:
        """Whether the noun takes 께서 and makes its verb honorific."""
        return self.group == "elder"

    @property
    def mass(self) -> bool:
        """Whether English uses the noun without an article: bread, math, seoul."""
        return not self.plural and self.group not in LIVING_GROUPS


_TABLE: dict[str, tuple[tuple[str, str, str, str], ...]] = {
    "elder": (
        ("grandmother", "", "할머니", "she"),
        ("teacher", "teachers", "선생님", ""),
        ("grandfather", "", "할아버지", "he"),
        ("mother", "", "어머니", "she"),
        ("father", "", "아버지", "he"),
        ("professor", "", "교수님", ""),
        ("boss", "", "사장님", ""),
        ("guest", "guests", "손님", ""),
    ),
    "adult": (
        ("man", "men", "남자", "he"),
        ("woman", "women", "여자", "she"),
        ("student", "students", "학생", ""),
        ("friend", "friends", "친구", ""),
        ("doctor", "doctors", "의사", ""),
        ("farmer", "farmers", "농부", ""),
        ("chef", "", "요리사", ""),
        ("singer", "singers", "가수", ""),
        ("painter", "painters", "화가", ""),
        ("writer", "", "작가", ""),
        ("nurse", "", "간호사", ""),
        ("uncle", "", "삼촌", "he"),
        ("aunt", "", "이모", "she"),
        ("king", "", "왕", "he"),
        ("queen", "", "여왕", "she"),
        ("prince", "", "왕자", "he"),
        ("princess", "", "공주", "she"),
        ("soldier", "soldiers", "군인", ""),
        ("tourist", "tourists", "관광객", ""),
        ("driver", "", "운전사", ""),
        ("clerk", "", "점원", ""),
        ("player", "players", "선수", ""),
        ("director", "", "감독", ""),
        ("lawyer", "", "변호사", ""),
        ("musician", "", "음악가", ""),
        ("fisherman", "", "어부", "he"),
    ),
    "child": (
        ("child", "children", "아이", ""),
        ("boy", "boys", "소년", "he"),
        ("girl", "girls", "소녀", "she"),
        ("son", "", "아들", "he"),
        ("daughter", "", "딸", "she"),
    ),
    "baby": (("baby", "", "아기", ""),),
    "animal": (
        ("dog", "dogs", "개", "마리"),
        ("cat", "cats", "고양이", "마리"),
        ("bird", "birds", "새", "마리"),
        ("animal", "animals", "동물", "마리"),
        ("horse", "horses", "말", "마리"),
        ("puppy", "", "강아지", "마리"),
        ("rabbit", "rabbits", "토끼", "마리"),
        ("cow", "cows", "소", "마리"),
        ("pig", "", "돼지", "마리"),
        ("mouse", "mice", "쥐", "마리"),
        ("duck", "ducks", "오리", "마리"),
        ("tiger", "", "호랑이", "마리"),
        ("bear", "", "곰", "마리"),
        ("fox", "", "여우", "마리"),
        ("bat", "", "박쥐", "마리"),
        ("fish", "fish", "물고기", "마리"),
    ),
    "fruit": (
        ("apple", "apples", "사과", "개"),
        ("orange", "oranges", "오렌지", "개"),
        ("potato", "potatoes", "감자", ""),
        ("egg", "eggs", "달걀", "개"),
        ("carrot", "carrots", "당근", ""),
    ),
    "dish": (
        ("bread", "", "빵", ""),
        ("rice", "", "밥", ""),
        ("cake", "cakes", "케이크", ""),
        ("soup", "", "국", ""),
        ("meat", "", "고기", ""),
        ("cookie", "cookies", "쿠키", "개"),
    ),
    "drink": (
        ("water", "", "물", "잔"),
        ("coffee", "", "커피", "잔"),
        ("milk", "", "우유", "잔"),
        ("juice", "", "주스", "잔"),
    ),
    "reading": (
        ("book", "books", "책", "권"),
        ("letter", "letters", "편지", "통"),
        ("newspaper", "newspapers", "신문", ""),
        ("story", "stories", "이야기", ""),
        ("novel", "novels", "소설", ""),
        ("magazine", "magazines", "잡지", "권"),
        ("poem", "poems", "시", ""),
    ),
    "show": (
        ("movie", "movies", "영화", ""),
        ("concert", "concerts", "공연", ""),
    ),
    "tune": (
        ("song", "songs", "노래", ""),
        ("music", "", "음악", ""),
    ),
    "image": (
        ("picture", "pictures", "그림", ""),
        ("photo", "photos", "사진", "장"),
        ("ticket", "tickets", "표", "장"),
    ),
    "lesson": (
        ("english", "", "영어", ""),
        ("korean", "", "한국어", ""),
        ("math", "", "수학", ""),
        ("history", "", "역사", ""),
        ("science", "", "과학", ""),
    ),
    "puzzle": (
        ("question", "questions", "질문", ""),
        ("problem", "problems", "문제", ""),
        ("homework", "", "숙제", ""),
        ("answer", "answers", "답", ""),
        ("name", "names", "이름", ""),
        ("secret", "secrets", "비밀", ""),
    ),
    "clothes": (
        ("coat", "coats", "코트", "벌"),
        ("dress", "dresses", "드레스", ""),
        ("shirt", "shirts", "셔츠", "벌"),
        ("skirt", "skirts", "치마", ""),
        ("hat", "hats", "모자", ""),
    ),
    "pair": (
        ("shoes", "", "구두", ""),
        ("sneakers", "", "운동화", ""),
        ("socks", "", "양말", ""),
        ("glasses", "", "안경", ""),
    ),
    "thing": (
        ("bag", "bags", "가방", "개"),
        ("box", "boxes", "상자", "개"),
        ("cup", "cups", "컵", "개"),
        ("chair", "chairs", "의자", "개"),
        ("umbrella", "umbrellas", "우산", "개"),
        ("doll", "dolls", "인형", "개"),
        ("key", "keys", "열쇠", ""),
        ("ball", "balls", "공", ""),
        ("clock", "clocks", "시계", ""),
        ("ring", "rings", "반지", ""),
        ("wallet", "wallets", "지갑", ""),
        ("table", "tables", "탁자", ""),
        ("stone", "stones", "돌", ""),
        ("gift", "gifts", "선물", ""),
    ),
    "opening": (
        ("door", "doors", "문", ""),
        ("window", "windows", "창문", ""),
    ),
    "device": (
        ("computer", "computers", "컴퓨터", ""),
        ("phone", "phones", "전화기", ""),
        ("camera", "cameras", "카메라", ""),
    ),
    "tool": (
        ("pencil", "pencils", "연필", "자루"),
        ("knife", "knives", "칼", ""),
        ("spoon", "spoons", "숟가락", ""),
    ),
    "vehicle": (
        ("car", "cars", "자동차", "대"),
        ("bicycle", "bicycles", "자전거", "대"),
        ("bus", "buses", "버스", ""),
        ("train", "trains", "기차", ""),
        ("taxi", "taxis", "택시", ""),
        ("subway", "", "지하철", ""),
    ),
    "instrument": (
        ("piano", "pianos", "피아노", ""),
        ("violin", "violins", "바이올린", ""),
        ("flute", "flutes", "플루트", ""),
        ("guitar", "guitars", "기타", ""),
        ("drum", "drums", "북", ""),
    ),
    "sport": (
        ("game", "games", "게임", ""),
        ("soccer", "", "축구", ""),
        ("baseball", "", "야구", ""),
        ("tennis", "", "테니스", ""),
    ),
    "plant": (
        ("flower", "flowers", "꽃", "송이"),
        ("tree", "trees", "나무", "그루"),
    ),
    "matter": (
        ("money", "", "돈", ""),
        ("time", "", "시간", ""),
        ("medicine", "", "약", ""),
        ("weather", "", "날씨", ""),
    ),
    "building": (
        ("school", "schools", "학교", ""),
        ("house", "houses", "집", ""),
        ("library", "libraries", "도서관", ""),
        ("hospital", "hospitals", "병원", ""),
        ("market", "markets", "시장", ""),
        ("restaurant", "restaurants", "식당", ""),
        ("museum", "museums", "박물관", ""),
        ("theater", "theaters", "극장", ""),
        ("station", "stations", "역", ""),
        ("store", "stores", "가게", ""),
        ("cafe", "cafes", "카페", ""),
        ("airport", "airports", "공항", ""),
        ("zoo", "zoos", "동물원", ""),
        ("palace", "palaces", "궁전", ""),
        ("farm", "farms", "농장", ""),
    ),
    "room": (
        ("room", "rooms", "방", ""),
        ("kitchen", "kitchens", "부엌", ""),
        ("classroom", "classrooms", "교실", ""),
        ("office", "offices", "사무실", ""),
    ),
    "nature": (
        ("park", "parks", "공원", ""),
        ("yard", "yards", "마당", ""),
        ("garden", "gardens", "정원", ""),
        ("forest", "forests", "숲", ""),
        ("field", "fields", "들판", ""),
        ("beach", "beaches", "바닷가", ""),
        ("playground", "playgrounds", "운동장", ""),
    ),
    "waters": (
        ("river", "rivers", "강", ""),
        ("sea", "", "바다", ""),
    ),
    "crossing": (
        ("street", "streets", "도로", ""),
        ("bridge", "bridges", "다리", ""),
    ),
    "town": (
        ("city", "cities", "도시", ""),
        ("village", "villages", "마을", ""),
    ),
    "name": (
        ("seoul", "", "서울", ""),
        ("busan", "", "부산", ""),
    ),
}

_PERSON_CLASSIFIER = {"elder": "분", "adult": "명", "child": "명", "baby": "명"}
_MASS_PRONOUN = {"pair": "they"}


def _noun(group: str, english: str, plural: str, korean: str, extra: str) -> Noun:
    if group in _PERSON_CLASSIFIER:
        return Noun(english, plural, korean, group, extra, _PERSON_CLASSIFIER[group])
    return Noun(english, plural, korean, group, _MASS_PRONOUN.get(group, "it"), extra)


NOUNS = {row[0]: _noun(group, *row) for group, rows in _TABLE.items() for row in rows}
