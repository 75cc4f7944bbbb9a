"""The nouns, in groups that decide what a noun may do.

An entry has English, its plural where that is irregular ("-" for a noun without one), Korean, and
maybe one more word: for people the pronoun that stands for them, for everything else the Korean
classifier it is counted with, if the corpus counts it. The group of a noun decides its adjectives,
its pronoun and whether it takes honorific particles.
"""

from typing import NamedTuple

from bottomup.data.minilang.grammar.hangul import is_syllable

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


_TABLE = {
    "elder": "grandmother - 할머니 she, teacher 선생님, grandfather - 할아버지 he, "
    "mother - 어머니 she, father - 아버지 he, professor - 교수님, boss - 사장님, guest 손님",
    "adult": "man men 남자 he, woman women 여자 she, student 학생, friend 친구, doctor 의사, "
    "farmer 농부, chef - 요리사, singer 가수, painter 화가, writer - 작가, nurse - 간호사, "
    "uncle - 삼촌 he, aunt - 이모 she, king - 왕 he, queen - 여왕 she, prince - 왕자 he, "
    "princess - 공주 she, soldier 군인, tourist 관광객, driver - 운전사, clerk - 점원, "
    "player 선수, director - 감독, lawyer - 변호사, musician - 음악가, fisherman - 어부 he",
    "child": "child children 아이, boy 소년 he, girl 소녀 she, son - 아들 he, daughter - 딸 she",
    "baby": "baby - 아기",
    "animal": "dog 개 마리, cat 고양이 마리, bird 새 마리, animal 동물 마리, horse 말 마리, "
    "puppy - 강아지 마리, rabbit 토끼 마리, cow 소 마리, pig - 돼지 마리, mouse mice 쥐 마리, "
    "duck 오리 마리, tiger - 호랑이 마리, bear - 곰 마리, fox - 여우 마리, bat - 박쥐 마리, "
    "fish fish 물고기 마리",
    "fruit": "apple 사과 개, orange 오렌지 개, potato 감자, egg 달걀 개, carrot 당근",
    "dish": "bread - 빵, rice - 밥, cake 케이크, soup - 국, meat - 고기, cookie 쿠키 개",
    "drink": "water - 물 잔, coffee - 커피 잔, milk - 우유 잔, juice - 주스 잔",
    "reading": "book 책 권, letter 편지 통, newspaper 신문, story 이야기, novel 소설, "
    "magazine 잡지 권, poem 시",
    "show": "movie 영화, concert 공연",
    "tune": "song 노래, music - 음악",
    "image": "picture 그림, photo photos 사진 장, ticket 표 장",
    "lesson": "english - 영어, korean - 한국어, math - 수학, history - 역사, science - 과학",
    "puzzle": "question 질문, problem 문제, homework - 숙제, answer 답, name 이름, secret 비밀",
    "clothes": "coat 코트 벌, dress 드레스, shirt 셔츠 벌, skirt 치마, hat 모자",
    "pair": "shoes - 구두, sneakers - 운동화, socks - 양말, glasses - 안경",
    "thing": "bag 가방 개, box 상자 개, cup 컵 개, chair 의자 개, umbrella 우산 개, doll 인형 개, "
    "key 열쇠, ball 공, clock 시계, ring 반지, wallet 지갑, table 탁자, stone 돌, gift 선물",
    "opening": "door 문, window 창문",
    "device": "computer 컴퓨터, phone 전화기, camera 카메라",
    "tool": "pencil 연필 자루, knife knives 칼, spoon 숟가락",
    "vehicle": "car 자동차 대, bicycle 자전거 대, bus 버스, train 기차, taxi 택시, subway - 지하철",
    "instrument": "piano pianos 피아노, violin 바이올린, flute 플루트, guitar 기타, drum 북",
    "sport": "game 게임, soccer - 축구, baseball - 야구, tennis - 테니스",
    "plant": "flower 꽃 송이, tree 나무 그루",
    "matter": "money - 돈, time - 시간, medicine - 약, weather - 날씨",
    "building": "school 학교, house 집, library 도서관, hospital 병원, market 시장, "
    "restaurant 식당, museum 박물관, theater 극장, station 역, store 가게, cafe 카페, "
    "airport 공항, zoo zoos 동물원, palace 궁전, farm 농장",
    "room": "room 방, kitchen 부엌, classroom 교실, office 사무실",
    "nature": "park 공원, yard 마당, garden 정원, forest 숲, field 들판, beach 바닷가, "
    "playground 운동장",
    "waters": "river 강, sea - 바다",
    "crossing": "street 도로, bridge 다리",
    "town": "city 도시, village 마을",
    "name": "seoul - 서울, busan - 부산",
}
_PERSON_CLASSIFIER = {"elder": "분", "adult": "명", "child": "명", "baby": "명"}


def with_s(word: str) -> str:
    """A word with the ending of plurals and of the third person: dogs, cities, watches."""
    if word[-1] == "y" and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh", "o")) else "s")


def _noun(group: str, entry: str) -> Noun:
    words = entry.split()
    place = next(place for place, word in enumerate(words) if is_syllable(word[0]))
    english, korean, extra = words[0], words[place], "".join(words[place + 1 :])
    plural = with_s(english) if place == 1 else words[1].removeprefix("-")
    if group in _PERSON_CLASSIFIER:
        return Noun(english, plural, korean, group, extra, _PERSON_CLASSIFIER[group])
    return Noun(english, plural, korean, group, "they" if group == "pair" else "it", extra)


_ENTRIES = [(group, entry) for group, entries in _TABLE.items() for entry in entries.split(", ")]
NOUNS = {noun.english: noun for noun in (_noun(group, entry) for group, entry in _ENTRIES)}
