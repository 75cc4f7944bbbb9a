import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tests.results.claim_references import claims_of, names_in, names_in_code, names_shown

NO_CLAIMS = ["0.08 nats", "at 8.1 of 44.7", "1,008.1 sentences", "section 08.1", "08.05.2020"]
NO_CLAIMS += ["version 2.08.3", "08.1st", "<!-- 08.1a -->", "arXiv:1706.03762", "chapter 08"]
IDS = ["01b.3", "08.1a", "08.1b", "08.1c", "08.12a"]


@pytest.mark.parametrize(
    "text, names",
    [
        # an id
        ("It holds (08.1a).", ["08.1a"]),
        ("*01b.4e*: it fails", ["01b.4e"]),
        ("10b.2c and d, 10b.3a", ["10b.2c", "10b.2d", "10b.3a"]),
        ("11.3a to 11.3c, 11.4b", ["11.3a", "11.3b", "11.3c", "11.4b"]),
        # letters of a list belong to the number before them
        ("(08.4a, b)", ["08.4a", "08.4b"]),
        ("(08.4b, c and f)", ["08.4b", "08.4c", "08.4f"]),
        ("(05.8a and d: as good)", ["05.8a", "05.8d"]),
        ("08.1a, e,\ng", ["08.1a", "08.1e", "08.1g"]),
        # a range names every claim in it
        ("(08.3a to c)", ["08.3a", "08.3b", "08.3c"]),
        ("(08.3d to\nf)", ["08.3d", "08.3e", "08.3f"]),
        ("(08.3a, c to e)", ["08.3a", "08.3c", "08.3d", "08.3e"]),
        # a number without a letter stays a number
        ("claims 04.2.", ["04.2"]),
        ("sections 4, 11; 08.1d, 08.8", ["08.1d", "08.8"]),
        # a word behind a claim is no letter of it
        ("08.1c, a claim of the paper", ["08.1c"]),
        ("08.1c, e.g. at the top", ["08.1c"]),
        ("08.1c to be sure", ["08.1c"]),
    ],
)
def test_the_claims_that_a_text_names(text: str, names: list[str]):
    assert names_in(text) == names


@pytest.mark.parametrize("text", NO_CLAIMS)
def test_what_only_looks_like_a_claim_is_none(text: str):
    assert names_in(text) == []


@pytest.mark.parametrize(
    "name, found",
    [
        ("08.1b", {"08.1b"}),
        ("08.1", {"08.1a", "08.1b", "08.1c"}),
        ("08.12", {"08.12a"}),
        ("01b.3", {"01b.3"}),
        ("08.1d", set()),
        ("08.2", set()),
        ("08", set()),
    ],
)
def test_a_name_stands_for_one_claim_or_for_all_of_its_number(name: str, found: set[str]):
    assert claims_of(name, IDS) == found


def test_prose_and_outputs_show_claims_and_code_names_those_in_strings_of_their_own():
    printed = new_output("stream", text="02.8a holds at 0.42\n02.8b holds at 0.00\n")
    returned = new_output("execute_result", data={"text/plain": "['02.6']"})
    picture = new_output("display_data", data={"image/png": ""})
    code = 'claim.id.startswith("02.8") or claim.id in ("02.6", \'03.1a\')  # 02.9'
    notebook = new_notebook(
        cells=[
            new_markdown_cell("Opposites (02.6)<!-- record: 02.4 -->"),
            new_code_cell(code, outputs=[printed, picture, returned]),
            new_markdown_cell("and order (02.2a, b)"),
        ]
    )
    assert names_shown(notebook) == ["02.6", "02.2a", "02.2b", "02.8a", "02.8b", "02.6"]
    assert names_in_code(notebook) == ["02.8", "02.6", "03.1a"]
