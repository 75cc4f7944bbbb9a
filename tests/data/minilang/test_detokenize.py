"""Written Korean from tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bottomup.data.minilang import detokenize

TOKENS = "할머니 책 듣 하 -께서 -을 -었 -다 -느 -ㄴ -ㄹ -권 . <unk>".split()


@pytest.mark.parametrize(
    ("tokens", "written"),
    [
        ("할머니 -께서 책 세 -권 -을 읽 -으시 -었 -다 .", "할머니께서 책 세 권을 읽으셨다."),
        ("나 -가 읽 -ㄴ 책 -은 길 -다 .", "내가 읽은 책은 길다."),
        ("저 -가 듣 -ㄴ 음악 -이 좋 -ㅂ니다 .", "제가 들은 음악이 좋습니다."),
        ("너 -가 좋아하 -느 -ㄴ 집 -으로 가 -느 -다 .", "네가 좋아하는 집으로 간다."),
        ("누구 -가 오 -었 -다 .", "누가 왔다."),
        ("개 세 -마리 -가 짖 -느 -다 .", "개 세 마리가 짖는다."),
        ("집 -에 가 -었 -기 때문 -에 자 -느 -다 .", "집에 갔기 때문에 잔다."),
        ("음악 -을 듣 -ㄹ 때 만들 -ㄹ 때", "음악을 들을 때 만들 때"),
        ("가 -ㄹ 것이 -ㅂ니다 .", "갈 것입니다."),
    ],
)
def test_tokens_become_written_korean(tokens, written):
    assert detokenize(tokens.split()) == written


@given(st.lists(st.sampled_from(TOKENS), max_size=11))
def test_any_sequence_of_tokens_has_a_written_form(tokens):
    written = detokenize(tokens)
    assert "-" not in written
    assert bool(written) == bool(tokens)
