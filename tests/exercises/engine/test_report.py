import pytest

from bottomup.exercises import Report
from bottomup.exercises.engine.report import Evidence, evidence_text

EVIDENCE = Evidence(
    case="two <numbers>",
    inputs=(("x", "float32 (2,)\n[2. 3.]"),),
    got="[4. 9.]",
    expected="[4. 6.]",
    difference="1 of 2 values differ, by at most 3.",
    printed="<script>alert(1)</script>",
)
FAILED = Report(
    slug="double",
    title="Double & more",
    status="failed",
    message="That is the square.",
    mistake="square",
    see='See "Powers" in chapter 00.',
    evidence=EVIDENCE,
)
TEXT = """\
Double & more: not right yet
That is the square.
See "Powers" in chapter 00.
A small failing case: two <numbers>
1 of 2 values differ, by at most 3.
x:
  float32 (2,)
  [2. 3.]
got: [4. 9.]    expected: [4. 6.]
printed by your function:
  <script>alert(1)</script>"""


def test_the_text_shows_got_and_expected_on_one_line():
    assert repr(FAILED) == TEXT
    assert str(FAILED) == TEXT


@pytest.mark.parametrize(
    "got, expected, text",
    [
        ("0.2 (float64)", "0.1", "got: 0.2 (float64)    expected: 0.1"),
        (
            "int64 (1,)\n[4]",
            "int64 (1,)\n[6]",
            "got:            expected:\n  int64 (1,)      int64 (1,)\n  [4]             [6]",
        ),
        ("4" * 40, "6" * 40, f"got:{' ' * 42}expected:\n  {'4' * 40}      {'6' * 40}"),
    ],
)
def test_what_takes_more_than_a_line_stands_side_by_side(got: str, expected: str, text: str):
    evidence = Evidence("a case", (), got, expected)
    assert repr(Report("double", "Double", "failed", "0 of 3.", evidence=evidence)).endswith(text)


def test_what_does_not_fit_side_by_side_stands_one_below_the_other():
    words = "[" + ", ".join(["'lower'"] * 12) + "]"
    text = evidence_text(Evidence("a case", (), words, words))
    first = "  [" + ", ".join(["'lower'"] * 8) + ","
    rest = "   " + ", ".join(["'lower'"] * 4) + "]"
    assert text.splitlines()[1:] == ["got:", first, rest, "expected:", first, rest]


def test_the_parts_can_be_asked_for():
    assert (FAILED.passed, FAILED.mistake, FAILED.case) == (False, "square", "two <numbers>")
    passed = Report("double", "Double", "passed", "All 3 cases agree.")
    assert (passed.passed, passed.mistake, passed.case) == (True, None, None)
    assert repr(passed) == "Double: passed\nAll 3 cases agree."


def test_html_escapes_what_the_reader_wrote():
    html = FAILED._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "two &lt;numbers&gt;" in html
    assert "Double &amp; more" in html
    assert 'class="bottomup-report bottomup-failed"' in html and FAILED.passed is False


def test_without_a_returned_value_only_the_expected_one_is_shown():
    evidence = Evidence("a case", (), None, "[4. 6.]", "Your function raised ValueError.")
    text = repr(Report("double", "Double", "failed", "0 of 3.", evidence=evidence))
    assert "got" not in text
    assert text.endswith("expected:\n  [4. 6.]")


def test_code_in_a_sentence_is_set_as_code_and_stays_escaped():
    report = Report("double", "Double", "failed", "The rows of `query < key` are swapped.")
    assert "The rows of <code>query &lt; key</code> are swapped." in report._repr_html_()
    assert "`query < key`" in str(report)
