"""Sentences of the corpus, read and approved one by one."""

import pytest

from bottomup.data.minilang import Corpus, Link, SentencePair, detokenize, load

TEXT = """
sir , the smart students often studied history together at the school .
    똑똑한 학생들은 자주 학교에서 역사를 함께 공부했습니다.
sir , the teacher drew a house .
    선생님께서는 집을 그리셨습니다.
the woman who helped the grandmother speaks loudly in the evening .
    할머니를 도와드린 여자는 저녁에 크게 말한다.
i helped the grandmother .
    나는 할머니를 도와드렸다.
the boy and the prince can swim .
    소년과 왕자는 수영할 수 있다.
the child can make the pretty doll well in the house .
    아이는 집에서 예쁜 인형을 잘 만들 수 있다.
the clerk will wash four shirts .
    점원은 셔츠 네 벌을 빨 것이다.
a kind grandmother buys five coats at the market .
    친절한 할머니께서 시장에서 코트 다섯 벌을 사신다.
two lazy farmers buy two shirts at the big market .
    게으른 농부 두 명이 큰 시장에서 셔츠 두 벌을 산다.
the boy who opened the big door cried in the room because he was tired .
    큰 문을 연 소년은 피곤했기 때문에 방에서 울었다.
the grandmother does not cook the meat because she is tired .
    할머니께서는 피곤하시기 때문에 고기를 요리하지 않으신다.
the dog that drank water ate the meat quickly this morning because it was fresh .
    물을 마신 개는 고기가 신선했기 때문에 오늘 아침에 빨리 먹었다.
this morning the strong soldiers did not buy the bicycle because it was expensive .
    오늘 아침에 강한 군인들은 자전거가 비쌌기 때문에 사지 않았다.
sir , the cat ate the meat because it was hungry .
    고양이는 배고팠기 때문에 고기를 먹었습니다.
my father did not walk because it snowed .
    눈이 왔기 때문에 우리 아버지께서는 걷지 않으셨다.
the soldiers were building the house in the village when the nurse arrived .
    간호사가 도착했을 때 군인들은 마을에 집을 짓고 있었다.
the children were eating delicious bread when the grandmother arrived .
    할머니께서 도착하셨을 때 아이들은 맛있는 빵을 먹고 있었다.
the boy and the friend were laughing when the professor who read the book arrived .
    책을 읽으신 교수님께서 도착하셨을 때 소년과 친구는 웃고 있었다.
my teacher is in the classroom .
    우리 선생님께서는 교실에 계신다.
the happy mother was cutting the orange with the knife .
    행복한 어머니께서는 칼로 오렌지를 자르고 계셨다.
the teachers who sent a student the letter are at the school .
    학생에게 편지를 보내신 선생님들께서는 학교에 계신다.
the coffee that the grandmother drank was delicious .
    할머니께서 드신 커피는 맛있었다.
the students who wore the glasses wash the light sneakers in the small yard .
    안경을 쓴 학생들은 작은 마당에서 가벼운 운동화를 빤다.
the woman wore the dress and the aunt wore the hat .
    여자는 드레스를 입었고 이모는 모자를 썼다.
a tired farmer who found three photos wears the socks that the man washed .
    사진 세 장을 찾은 피곤한 농부가 남자가 빤 양말을 신는다.
ma'am , a man built a school .
    남자가 학교를 지었습니다.
sir , the mother cut bread but did not eat it .
    어머니께서는 빵을 자르셨지만 드시지 않으셨습니다.
the professor wrote the letter with the pencil but did not send it .
    교수님께서는 연필로 편지를 쓰셨지만 보내지 않으셨다.
the tourist did not find the key in a room .
    관광객은 방에서 열쇠를 찾지 못했다.
the grandfather leaves for seoul .
    할아버지께서는 서울로 떠나신다.
the student is not a farmer .
    학생은 농부가 아니다.
the kind woman will become a painter next year .
    친절한 여자는 내년에 화가가 될 것이다.
my teacher played a flute and the student played the drum .
    우리 선생님께서는 플루트를 부셨고 학생은 북을 쳤다.
the smart friend always rests in the house but the cute boy does not rest .
    똑똑한 친구는 항상 집에서 쉬지만 귀여운 소년은 쉬지 않는다.
the letter that you wrote is really long .
    네가 쓴 편지는 정말 길다.
the woman has a car and the grandmother has a question .
    여자는 자동차가 있고 할머니께서는 질문이 있으시다.
the student who sent a teacher three letters was in the library .
    선생님께 편지 세 통을 보낸 학생은 도서관에 있었다.
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
    pair = by_source["the grandmother does not cook the meat because she is tired ."]
    assert pair.antecedents == ((8, 1),)
    assert all(link.source != 8 for link in pair.links)


def test_pronoun_of_the_object_gives_way_to_the_noun(by_source):
    pair = by_source["the man did not drink water because it was hot ."]
    assert pair.antecedents == ((7, 5),)
    place = pair.target.index("물")
    assert {Link(place, 5, True), Link(place, 7, False)} <= set(pair.links)


def test_links_of_one_sentence_by_hand(by_source):
    pair = by_source["ma'am , a man built a school ."]
    assert pair.target == ("남자", "-가", "학교", "-를", "짓", "-었", "-ㅂ니다", ".")
    assert pair.links == (
        Link(0, 3, True),
        Link(1, 2, False),
        Link(1, 3, False),
        Link(2, 6, True),
        Link(3, 5, False),
        Link(3, 6, False),
        Link(4, 4, True),
        Link(5, 4, False),
        Link(6, 0, False),
        Link(6, 4, False),
        Link(7, 7, False),
    )
    assert " ".join(pair.glosses) == "man -NOM school -OBJ build -PAST -DECL.POL ."
