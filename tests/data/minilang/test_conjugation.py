"""The conjugator against forms written by hand: a stem of each class, and traps of the grammar."""

import pytest

from bottomup.data.minilang.grammar.conjugation import IRREGULAR, conjugate, irregular_class

# A stem that is honorific by itself has no further honorific form (-).
VERBS = """
     -느-다   -었-다  -ㅂ니다  -느-ㄴ  -ㄴ   -ㄹ   -었-지만   -으시-었-다
가   간다     갔다    갑니다   가는    간    갈    갔지만     가셨다
걷   걷는다   걸었다  걷습니다 걷는    걸은  걸을  걸었지만   걸으셨다
날   난다     날았다  납니다   나는    난    날    날았지만   나셨다
닫   닫는다   닫았다  닫습니다 닫는    닫은  닫을  닫았지만   닫으셨다
돕   돕는다   도왔다  돕습니다 돕는    도운  도울  도왔지만   도우셨다
되   된다     됐다    됩니다   되는    된    될    됐지만     되셨다
드시 드신다   드셨다  드십니다 드시는  드신  드실  드셨지만   -
마시 마신다   마셨다  마십니다 마시는  마신  마실  마셨지만   마시셨다
보내 보낸다   보냈다  보냅니다 보내는  보낸  보낼  보냈지만   보내셨다
모르 모른다   몰랐다  모릅니다 모르는  모른  모를  몰랐지만   모르셨다
부르 부른다   불렀다  부릅니다 부르는  부른  부를  불렀지만   부르셨다
쉬   쉰다     쉬었다  쉽니다   쉬는    쉰    쉴    쉬었지만   쉬셨다
쓰   쓴다     썼다    씁니다   쓰는    쓴    쓸    썼지만     쓰셨다
않   않는다   않았다  않습니다 않는    않은  않을  않았지만   않으셨다
오   온다     왔다    옵니다   오는    온    올    왔지만     오셨다
주   준다     줬다    줍니다   주는    준    줄    줬지만     주셨다
잡   잡는다   잡았다  잡습니다 잡는    잡은  잡을  잡았지만   잡으셨다
짓   짓는다   지었다  짓습니다 짓는    지은  지을  지었지만   지으셨다
짖   짖는다   짖었다  짖습니다 짖는    짖은  짖을  짖었지만   짖으셨다
켜   켠다     켰다    켭니다   켜는    켠    켤    켰지만     켜셨다
하   한다     했다    합니다   하는    한    할    했지만     하셨다
"""
ADJECTIVES = """
       -다      -었-다    -ㅂ니다    -ㄴ      -ㄹ      -지만      -으시-다
게으르 게으르다 게을렀다  게으릅니다 게으른   게으를   게으르지만 게으르시다
귀엽   귀엽다   귀여웠다  귀엽습니다 귀여운   귀여울   귀엽지만   귀여우시다
길     길다     길었다    깁니다     긴       길       길지만     기시다
나쁘   나쁘다   나빴다    나쁩니다   나쁜     나쁠     나쁘지만   나쁘시다
아니   아니다   아니었다  아닙니다   아닌     아닐     아니지만   아니시다
예쁘   예쁘다   예뻤다    예쁩니다   예쁜     예쁠     예쁘지만   예쁘시다
젊     젊다     젊었다    젊습니다   젊은     젊을     젊지만     젊으시다
크     크다     컸다      큽니다     큰       클       크지만     크시다
빨갛   빨갛다   빨갰다    빨갛습니다 빨간     빨갈     빨갛지만   빨가시다
하얗   하얗다   하얬다    하얗습니다 하얀     하얄     하얗지만   하야시다
"""


@pytest.mark.parametrize("table", [VERBS, ADJECTIVES], ids=["verbs", "adjectives"])
def test_a_stem_of_each_class_is_conjugated_as_in_the_table(table: str):
    head, *rows = table.strip("\n").split("\n")
    endings = [tuple(column.replace("-", " -").split()) for column in head.split()]
    for stem, *forms in map(str.split, rows):
        for ending, form in zip(endings, forms, strict=True):
            assert form in ("-", conjugate(stem, ending))


@pytest.mark.parametrize(
    ("stem", "endings", "written"),
    [
        ("만들", "-으러", "만들러"),
        ("듣", "-으러", "들으러"),
        ("사", "-으러", "사러"),
        ("읽", "-으러", "읽으러"),
        ("재미있", "-느 -ㄴ", "재미있는"),
        ("읽", "-으시 -느 -다", "읽으신다"),
        ("읽", "-으시 -ㅂ니다", "읽으십니다"),
        ("가", "-었 -기", "갔기"),
        ("읽", "-느", "읽는"),
        ("<unk>", "-었 -다", "<unk>었다"),  # it is total on text that is no Korean
    ],
)
def test_trap_is_conjugated_correctly(stem, endings, written):
    assert conjugate(stem, tuple(endings.split())) == written


def test_irregular_class_of_regular_and_irregular_stems():
    found = [irregular_class(s) for s in ("듣", "닫", "돕", "입", "공부하")]
    assert found == ["ㄷ", "", "ㅂ", "", "하"]
    for stem, kind in IRREGULAR.items():
        assert (conjugate(stem, ("-었",)) == f"{stem}었") is False, kind
