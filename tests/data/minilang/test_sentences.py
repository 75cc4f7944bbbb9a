"""Sentences of the corpus, read and approved one by one."""

import pytest

from bottomup.data.minilang import Corpus, Link, SentencePair, detokenize, gloss, load

TEXT = """
sir , the rabbits ate the apple that i like .
    토끼들은 제가 좋아하는 사과를 먹었습니다.
the box that i opened is really small .
    내가 연 상자는 정말 작다.
the man washes the sneakers that you wore and the woman wears a coat .
    남자는 네가 신은 운동화를 빨고 여자는 코트를 입는다.
the women who watched a movie were really tired .
    영화를 본 여자들은 정말 피곤했다.
the child who is crying is really sleepy .
    울고 있는 아이는 정말 졸리다.
the tiger ate meat in winter because it was fresh .
    호랑이는 고기가 신선했기 때문에 겨울에 먹었다.
the boy listened to the story because he was happy .
    소년은 행복했기 때문에 이야기를 들었다.
the woman takes a train because she is tired .
    여자는 피곤하기 때문에 기차를 탄다.
the tired teachers read two magazines in the famous park because they were interesting .
    피곤한 선생님들께서는 잡지 두 권이 재미있었기 때문에 유명한 공원에서 읽으셨다.
the boy who drew the sea did not run because the weather was cold .
    날씨가 추웠기 때문에 바다를 그린 소년은 달리지 않았다.
i was washing the socks when the young woman opened the door .
    젊은 여자가 문을 열었을 때 나는 양말을 빨고 있었다.
the kind grandmother slept in the big house when she was sleepy .
    친절한 할머니께서는 졸리실 때 큰 집에서 주무셨다.
the man will make a table and buy the picture .
    남자는 탁자를 만들고 그림을 살 것이다.
the man goes to the market to buy the bread .
    남자는 빵을 사러 시장에 간다.
the young girls played the old flute .
    어린 소녀들은 오래된 플루트를 불었다.
i can play a violin .
    나는 바이올린을 켤 수 있다.
sir , a child plays soccer .
    아이가 축구를 합니다.
the smart woman wore sneakers .
    똑똑한 여자는 운동화를 신었다.
ma'am , the tourist rested and the woman sent a student four letters .
    관광객은 쉬었고 여자는 학생에게 편지 네 통을 보냈습니다.
the kind clerk did not find the photo .
    친절한 점원은 사진을 찾지 못했다.
the player can ride the horse .
    선수는 말을 탈 수 있다.
the busy teacher did not know the song because it was difficult .
    바쁜 선생님께서는 노래가 어려웠기 때문에 모르셨다.
the man meets a woman and the student leaves for seoul .
    남자는 여자를 만나고 학생은 서울로 떠난다.
the farmer gave the water to the bird and the cat ate this fish .
    농부는 새에게 물을 줬고 고양이는 이 물고기를 먹었다.
the bear ate meat and the grandfather gave water to the flower .
    곰은 고기를 먹었고 할아버지께서는 꽃에 물을 주셨다.
the dogs were drinking water when my mother arrived .
    우리 어머니께서 도착하셨을 때 개들은 물을 마시고 있었다.
the women do not listen to music .
    여자들은 음악을 듣지 않는다.
the woman did not help the man because she was busy .
    여자는 바빴기 때문에 남자를 돕지 않았다.
the man built a school in the big village .
    남자는 큰 마을에 학교를 지었다.
a girl did not swim because it snowed .
    눈이 왔기 때문에 소녀가 수영하지 않았다.
the kind nurse who cleaned this small room is not a doctor .
    이 작은 방을 청소한 친절한 간호사는 의사가 아니다.
the tired mother has an old camera .
    피곤한 어머니께서는 오래된 카메라가 있으시다.
the kind woman will become a writer .
    친절한 여자는 작가가 될 것이다.
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
        Link(7, 5, False),
    )
    assert " ".join(map(gloss, pair.target)) == "farmer -NOM school -OBJ build -PAST -DECL ."
