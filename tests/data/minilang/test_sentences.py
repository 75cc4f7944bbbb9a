"""Sentences of the corpus, read and approved one by one."""

import pytest

from bottomup.data.minilang import Link, SentencePair, detokenize

TEXT = """
sir , the smart students often studied history together at the school .
    똑똑한 학생들은 자주 학교에서 역사를 함께 공부했습니다.
the woman who helped the grandmother speaks loudly in the evening .
    할머니를 도와드린 여자는 저녁에 크게 말한다.
the boy and the prince can swim .
    소년과 왕자는 수영할 수 있다.
a kind grandmother buys five coats at the market .
    친절한 할머니께서 시장에서 코트 다섯 벌을 사신다.
the boy who opened the big door cried in the room because he was tired .
    큰 문을 연 소년은 피곤했기 때문에 방에서 울었다.
the grandmother does not cook the meat because she is tired .
    할머니께서는 피곤하시기 때문에 고기를 요리하지 않으신다.
this morning the strong soldiers did not buy the bicycle because it was expensive .
    오늘 아침에 강한 군인들은 자전거가 비쌌기 때문에 사지 않았다.
my father did not walk because it snowed .
    눈이 왔기 때문에 우리 아버지께서는 걷지 않으셨다.
the soldiers were building the house in the village when the nurse arrived .
    간호사가 도착했을 때 군인들은 마을에 집을 짓고 있었다.
the boy and the friend were laughing when the professor who read the book arrived .
    책을 읽으신 교수님께서 도착하셨을 때 소년과 친구는 웃고 있었다.
my teacher is in the classroom .
    우리 선생님께서는 교실에 계신다.
the teachers who sent a student the letter are at the school .
    학생에게 편지를 보내신 선생님들께서는 학교에 계신다.
the tourist did not find the key in a room .
    관광객은 방에서 열쇠를 찾지 못했다.
the student is not a farmer .
    학생은 농부가 아니다.
the letter that you wrote is really long .
    네가 쓴 편지는 정말 길다.
the student who sent a teacher three letters was in the library .
    선생님께 편지 세 통을 보낸 학생은 도서관에 있었다.
"""
LINES = [line.strip() for line in TEXT.strip().split("\n")]
APPROVED = dict(zip(LINES[::2], LINES[1::2], strict=True))


@pytest.fixture(scope="module")
def by_source(pairs) -> dict[str, SentencePair]:
    return {" ".join(pair.source): pair for pair in pairs}


def test_approved_sentences_are_written_as_approved(by_source):
    assert {source: detokenize(by_source[source].target) for source in APPROVED} == APPROVED


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
