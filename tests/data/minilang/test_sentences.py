"""Sentences of the corpus, read and approved one by one."""

import pytest

from bottomup.data.minilang import Corpus, Link, SentencePair, detokenize, gloss, load

TEXT = """
sir , the driver did not rest in the house .
    운전사는 집에서 쉬지 않았습니다.
the big bird ate the bread that i like .
    큰 새는 내가 좋아하는 빵을 먹었다.
a white cat was eating the meat that you bought when the mother arrived .
    어머니께서 도착하셨을 때 하얀 고양이가 네가 산 고기를 먹고 있었다.
the rich man who played a piano will learn history quickly .
    피아노를 친 부유한 남자는 역사를 빨리 배울 것이다.
the child who is crying is really sleepy .
    울고 있는 아이는 정말 졸리다.
the cow did not drink water because it was hot .
    소는 물이 뜨거웠기 때문에 마시지 않았다.
every day the boy laughed because he was happy .
    매일 소년은 행복했기 때문에 웃었다.
the daughter cried because she was tired .
    딸은 피곤했기 때문에 울었다.
the teachers played a piano at a school because they were sad .
    선생님들께서는 슬프셨기 때문에 학교에서 피아노를 치셨다.
a puppy ran in spring because the weather was good .
    날씨가 좋았기 때문에 강아지가 봄에 달렸다.
the nurse was fixing the table when the boss came .
    사장님께서 오셨을 때 간호사는 탁자를 고치고 있었다.
yesterday the cat ate the meat when it was hungry .
    어제 고양이는 배고플 때 고기를 먹었다.
the musician will dance and learn science .
    음악가는 춤추고 과학을 배울 것이다.
the kind father who went to the big library did not walk because it rained .
    비가 왔기 때문에 큰 도서관에 가신 친절한 아버지께서는 걷지 않으셨다.
four singers play the flute well in the old room and learn korean .
    가수 네 명이 오래된 방에서 플루트를 잘 불고 한국어를 배운다.
the singer who played the old violin was in the theater .
    오래된 바이올린을 켠 가수는 극장에 있었다.
today i will play a game and run .
    오늘 나는 게임을 하고 달릴 것이다.
the woman and the clerk washed the socks that i wore .
    여자와 점원은 내가 신은 양말을 빨았다.
four children laughed .
    아이 네 명이 웃었다.
a grandmother did not find an expensive key in the big room yesterday .
    할머니께서 어제 큰 방에서 비싼 열쇠를 찾지 못하셨다.
a boy can play a violin .
    소년이 바이올린을 켤 수 있다.
the busy teacher did not know the song because it was difficult .
    바쁜 선생님께서는 노래가 어려웠기 때문에 모르셨다.
ma'am , the driver who left for busan rested .
    부산으로 떠난 운전사는 쉬었습니다.
the bear ate meat and the grandfather gave water to the flower .
    곰은 고기를 먹었고 할아버지께서는 꽃에 물을 주셨다.
i rested in a big room and gave a dog the expensive meat .
    나는 큰 방에서 쉬고 개에게 비싼 고기를 줬다.
the boy cries and my son meets the friend .
    소년은 울고 우리 아들은 친구를 만난다.
the kind musician listened to the story last night .
    친절한 음악가는 어젯밤에 이야기를 들었다.
every day i help the man well .
    매일 나는 남자를 잘 돕는다.
a farmer built a school .
    농부가 학교를 지었다.
i did not go to a library on monday because it snowed .
    눈이 왔기 때문에 나는 월요일에 도서관에 가지 않았다.
the queen is not a musician .
    여왕은 음악가가 아니다.
the boss who needs a new computer is really kind .
    새로운 컴퓨터가 필요하신 사장님께서는 정말 친절하시다.
"""
LINES = [line.strip() for line in TEXT.strip().split("\n")]
APPROVED = list(zip(LINES[::2], LINES[1::2], strict=True))


@pytest.fixture(scope="module")
def by_source() -> dict[str, SentencePair]:
    corpus: Corpus = load(2_000, seed=0)
    return {" ".join(pair.source): pair for part in corpus for pair in part}


@pytest.mark.parametrize(("english", "korean"), APPROVED)
def test_approved_sentence_is_written_as_approved(by_source, english, korean):
    assert detokenize(by_source[english].target) == korean


def test_pronoun_of_the_subject_is_dropped_and_its_antecedent_known(by_source):
    pair = by_source["the daughter cried because she was tired ."]
    assert pair.antecedents == ((4, 1),)
    assert all(link.source != 4 for link in pair.links)


def test_pronoun_of_the_object_gives_way_to_the_noun(by_source):
    pair = by_source["the cow did not drink water because it was hot ."]
    assert pair.antecedents == ((7, 5),)
    place = pair.target.index("물")
    assert {Link(place, 5, True), Link(place, 7, False)} <= set(pair.links)


def test_links_of_one_sentence_by_hand(by_source):
    pair = by_source["a farmer built a school ."]
    assert pair.target == ("농부", "-가", "학교", "-를", "짓", "-었", "-다", ".")
    assert pair.links == (
        Link(0, 1, True),
        Link(1, 0, False),
        Link(1, 1, False),
        Link(2, 4, True),
        Link(3, 3, False),
        Link(3, 4, False),
        Link(4, 2, True),
        Link(5, 2, False),
        Link(6, 2, False),
        Link(7, 5, True),
    )
    assert " ".join(map(gloss, pair.target)) == "farmer -NOM school -OBJ build -PAST -DECL ."
